/** Boxes of an MP4: their samples in all, and how many lie in each chunk. */
const SIZES = ['stsz', 'stz2'];
const CHUNKS = 'stsc';

/** The length of an audio or video file in seconds; undefined when it cannot be read or has no track. */
export async function secondsOf(bytes: Buffer): Promise<number | undefined> {
  // The library goes through a chunk sample by sample, also where a damaged file says that there are billions.
  if (samplesInChunk(bytes) > samplesInAll(bytes)) return undefined;
  const { ALL_FORMATS, BufferSource, Input, Logging, LogLevel } = await import('mediabunny');
  Logging.level = LogLevel.Silent; // What it has to say of strange files is not for our output.
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  try {
    if ((await input.getTracks()).length === 0) return undefined;
    const seconds = await input.computeDuration();
    return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

/** The most that one chunk is said to have; 0 where nothing is said. */
function samplesInChunk(bytes: Buffer): number {
  let most = 0;
  for (const at of boxesNamed(bytes, CHUNKS)) {
    const end = Math.min(bytes.length, at - 4 + bytes.readUInt32BE(at - 4)) - 12;
    for (let entry = at + 12; entry <= end; entry += 12) most = Math.max(most, bytes.readUInt32BE(entry + 4));
  }
  return most;
}

function samplesInAll(bytes: Buffer): number {
  const counts = SIZES.flatMap((name) =>
    boxesNamed(bytes, name).flatMap((at) => (at + 16 <= bytes.length ? [bytes.readUInt32BE(at + 12)] : [])),
  );
  return counts.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...counts);
}

/** Where such names stand behind a length that fits into the file. */
function boxesNamed(bytes: Buffer, name: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(name, 4, 'latin1'); at !== -1; at = bytes.indexOf(name, at + 4, 'latin1')) {
    const size = bytes.readUInt32BE(at - 4);
    if (size >= 16 && at - 4 + size <= bytes.length) found.push(at);
  }
  return found;
}
