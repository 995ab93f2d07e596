// Opens films and sound for `tracks.ts`, in a thread that it ends when a file takes too long or too much memory.
import { parentPort } from 'node:worker_threads';
import { ALL_FORMATS, BufferSource, FilePathSource, Input, Logging, LogLevel } from 'mediabunny';
import type { Tracks, TracksAsked } from './tracks.js';

Logging.level = LogLevel.Silent; // What it has to say of strange files is not for our output.

parentPort?.on('message', (asked: TracksAsked) => {
  void open(asked).then((tracks) => parentPort?.postMessage(tracks));
});

async function open({ file, length }: TracksAsked): Promise<Tracks> {
  const source =
    typeof file === 'string'
      ? new FilePathSource(file, { handleUnhandledError: () => undefined })
      : new BufferSource(file);
  const input = new Input({ source, formats: ALL_FORMATS });
  try {
    const tracks = await input.getTracks();
    if (tracks.length === 0) return 'none';
    const said = length === 'said' ? await input.getDurationFromMetadata() : null;
    const seconds = said ?? (await input.computeDuration());
    const video = await input.getPrimaryVideoTrack();
    const size = video === null ? {} : { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() };
    return { ...size, ...(Number.isFinite(seconds) ? { seconds } : {}) };
  } catch {
    return 'unreadable';
  } finally {
    input.dispose();
  }
}
