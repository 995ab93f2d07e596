// Opens films and sound for `tracks.ts`, in a process that it ends when a file takes too long.
import { Worker } from 'node:worker_threads';
import { ALL_FORMATS, BufferSource, FilePathSource, Input, Logging, LogLevel } from 'mediabunny';
import type { Tracks, TracksAsked, TracksTold } from './tracks.js';

Logging.level = LogLevel.Silent; // What it has to say of strange files is not for our output.

process.on('message', (asked: TracksAsked) => {
  void open(asked).then((tracks) => {
    tell(tracks);
    sayReady();
  });
});
process.on('disconnect', () => process.exit());
// Whoever asks decides when it is over; Ctrl-C reaches all processes of a terminal.
process.on('SIGINT', () => undefined);
// In a loop without end this process does not learn that nobody asks any more.
const watch = `setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL'); }, 2000)`;
new Worker(watch, { eval: true }).unref();
sayReady();

/** A loop that a file has left behind comes before this. */
function sayReady(): void {
  setImmediate(() => tell('ready'));
}

function tell(told: TracksTold): void {
  process.send?.(told);
}

async function open({ file, length }: TracksAsked): Promise<Tracks> {
  const source =
    typeof file === 'string'
      ? new FilePathSource(file, { handleUnhandledError: () => undefined })
      : new BufferSource(file);
  const input = new Input({ source, formats: ALL_FORMATS });
  try {
    if ((await input.getTracks()).length === 0) return 'none';
    if (length === 'counted') return secondsOf(await input.computeDuration());
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    const video = await input.getPrimaryVideoTrack();
    const size = video === null ? {} : { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() };
    return { ...size, ...secondsOf(seconds) };
  } catch {
    return 'unreadable';
  } finally {
    input.dispose();
  }
}

function secondsOf(seconds: number): { seconds?: number } {
  return Number.isFinite(seconds) ? { seconds } : {};
}
