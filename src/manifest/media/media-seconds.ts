/** The length of an audio or video file in seconds; undefined when it cannot be read or has no track. */
export async function secondsOf(bytes: Buffer): Promise<number | undefined> {
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
