// Checks one manifest in a fresh process and reports seconds and memory in one message.
import { validateManifest } from '../../src/manifest/validate-manifest.js';

const path = process.argv[2] ?? '';
const rssBefore = process.memoryUsage.rss();
const startedMs = performance.now();
const summary = await validateManifest({ source: { path }, resolveHosts: false });
const seconds = (performance.now() - startedMs) / 1_000;
const rssPeakMb = process.resourceUsage().maxRSS / 1024;
const { rows, problemCount } = summary;
const rssGrowthMb = Math.max(0, rssPeakMb - rssBefore / 1024 ** 2);
process.send?.({ seconds, rssGrowthMb, rssPeakMb, rows, problemCount });
process.disconnect?.();
