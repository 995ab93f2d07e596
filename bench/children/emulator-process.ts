// The service's double as a process: its options as one argument, its URL as the one message; ends with its parent.
import { type EmulatorOptions, startEmulator } from '../../emulator/emulator.js';

const emulator = await startEmulator(JSON.parse(process.argv[2] ?? '{}') as EmulatorOptions);
process.on('disconnect', () => void emulator.close().finally(() => process.exit(0)));
process.on('SIGINT', () => undefined);
process.send?.(emulator.url);
