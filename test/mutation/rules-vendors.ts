// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text.
import { type RuleMutation, within } from './within.js';

/** What goes out to the service and how its answers are read, family by family. */
export const VENDOR_MUTATIONS: readonly RuleMutation[] = [
  ...within('src/kinds/svc/wire.ts', [
    [2, 'readSubmit: readSvcResult,', "readSubmit: () => ({ reading: 'unreadable', why: '' }),"],
    [
      45,
      '{ ...columns(row, IMAGE_COLUMNS), response_format',
      '{ ...columns(row, IMAGE_COLUMNS), n: 1, response_format',
    ],
    [
      46,
      '{ ...columns(row, IMAGE_COLUMNS), response_format: responseFormat };',
      "{ ...columns(row, IMAGE_COLUMNS), response_format: 'url' };",
    ],
    [53, "const url = urlOrDataUri(required(media, row, 'image'));\n    const body", "const url = '';\n    const body"],
    [214, "  'prompt_expansion',\n  'seed',", "  'prompt_expansion',"],
  ]),
  ...within('src/kinds/svc/wire.ts', [
    [
      20,
      'if (url === undefined && base64 === undefined) return [];',
      'if (url === undefined && base64 === undefined) return [{}];',
    ],
    [21, '      revisedPrompt: revised,\n', ''],
    [22, '      frameRate: entry.frame_rate,\n', ''],
    [214, 'Number.isSafeInteger(read.seed)', 'read.seed >= 0', 1],
  ]),
  ...within('src/kinds/svc/wire.ts', [
    [3, 'readSubmit: readSvcResult,', "readSubmit: () => ({ reading: 'unreadable', why: '' }),"],
    [[32, 98], "aliasPaths ? '/v1/videos/generations' :", "aliasPaths ? '/v1/video/generations' :"],
    [33, "aliasPaths ? '/v1/videos/animations' :", "aliasPaths ? '/v1/video/animations' :"],
    [65, '    ...(audio === undefined ? {} : { extra: { audio } }),\n', ''],
    [66, "const CLIP_COLUMNS = ['model',", "const CLIP_COLUMNS = ['tier', 'steps', 'model',"],
    [69, "role: 'user'", "role: 'system'"],
    [213, "{ type: 'image_url', image_url: { url } }", "{ type: 'image', image_url: { url } }"],
  ]),
  ...within('src/kinds/svc/facts.ts', [[25, "flow: 'sync',", "flow: 'async',"]]),
  ...within('src/kinds/svc/image-columns.ts', [[30, "'/v1/images/generations'", "'/v1/images/generation'"]]),
  ...within('src/kinds/svc/edit-columns.ts', [[31, "'/v1/images/edits'", "'/v1/images/edit'"]]),
  ...within('src/kinds/svc/clip-columns.ts', [
    [32, "'/v1/video/generations'", "'/v1/video/generation'", 2],
    [33, "'/v1/video/animations'", "'/v1/video/animation'", 1],
  ]),
  ...within('src/kinds/wire.ts', [
    [148, 'return cell === undefined ? undefined : String(cell);', 'return cell as never;', 1],
    [
      151,
      "medium.form === 'url' ? medium.url : medium.base64;",
      "medium.form === 'url' ? medium.url : urlOrDataUri(medium);",
    ],
    [176, '  if (extra === undefined) return body;', '  return body;'],
    [218, '`data:${medium.mediaType};base64,${medium.base64}`', 'medium.base64'],
  ]),
  ...within('src/kinds/readings.ts', [
    [102, '      return ended.failed(word);', "      return { reading: 'running', word, known: true };"],
    [
      108,
      "      return { reading: 'running', word: safeText(word, 60), known: false };",
      '      return ended.failed(word);',
    ],
    [
      197,
      'return depthExceeds(reason, USAGE_DEPTH_MAX) ? undefined : safeText(JSON.stringify(reason));',
      'return undefined;',
    ],
  ]),
  ...within('src/kinds/vendor-a/wire.ts', [
    [76, '      ...storyboardOf(row),\n      callback_url: callbackUrl,\n', '      ...storyboardOf(row),\n', 1],
    [112, 'const isError = isErrorCode(code);', "const isError = code === '';"],
    [
      112,
      "if (!isErrorCode(code) || reading.reading === 'failed' || reading.reading === 'succeeded') return reading;",
      'return reading;',
      1,
    ],
    [113, 'path: `${rules.path}/${segment(handle)}`', 'path: `${vendorAText2Video.path}/${segment(handle)}`'],
    [114, '[defined({ url, durationSeconds: seconds })]', '[{ url }]'],
    [114, 'failed(word, data?.task_status_msg?.trim() || (', 'failed(word, (', 1],
    [127, 'path: `${rules.path}/${segment(handle)}`', 'path: `/v1/vendor-a/videos/${segment(handle)}`'],
    [153, "[...plain('images'), ...frames('first_frame'),", "[...frames('first_frame'), ...plain('images'),"],
    [154, "columns(row, ['character_orientation',", "columns(row, ['prompt', 'duration', 'character_orientation',", 1],
    [192, ' || isNamed || status !== 200) {', ' || isNamed || status !== 0) {'],
  ]),
  ...within('src/kinds/vendor-a/facts.ts', [[113, 'handleLifeMs: 7 * DAY_MS,', 'handleLifeMs: 6 * DAY_MS,', 1]]),
  ...within('src/kinds/vendor-a/columns.ts', [
    [126, "'/v1/vendor-a/videos/text2video'", "'/v1/vendor-a/video/text2video'"],
  ]),
  ...within('src/kinds/vendor-a/wire.ts', [[159, 'index: position + 1,', 'index: position,']]),
  ...within('src/kinds/vendor-b/wire.ts', [
    [107, '`${vendorBAvatar.path}/${segment(handle)}`', '`${vendorBAvatar.path}/${segment(handle.slice(0, 200))}`'],
    [107, '`${vendorBAvatar.path}/${segment(handle)}`', '`${vendorBAvatar.path}/${handle}`', 1],
    [109, 'defined({ billedSeconds: seconds, ', 'defined({ '],
    [110, '[rest.error, rest.message, rest.reason, error]', '[rest.message]'],
    [124, '`${vendorBAvatar.path}/${segment(handle)}`', '`${vendorBAvatar.path}?id=${segment(handle)}`', 1],
    [125, "'/v1/vendor-b/v3/voices'", "'/v1/vendor-b/voices'"],
    [
      133,
      "return { type: 'image', image: photoOf(image) };",
      "return { type: 'image', image: photoOf(image), engine: { type: 'avatar_iv' } };",
    ],
    [133, "engine: { type: 'avatar_v' }", "engine: { type: 'avatar_iv' }", 1],
    [136, 'media_type: image.mediaType, ', ''],
    [138, "audio && urlOnly(audio, row, 'audio')", "audio && (audio.form === 'url' ? audio.url : audio.base64)", 1],
    [220, "['resolution', 'aspect_ratio']", "['resolution']"],
  ]),
  ...within('src/kinds/vendor-b/facts.ts', [
    [15, "entrypoint: 'vendor-b',", 'entrypoint: null,'],
    [100, 'pollBaseMs: 10_000,', 'pollBaseMs: 5_000,'],
    [207, 'urlLifeMs: HOUR_MS,', 'urlLifeMs: 2 * HOUR_MS,'],
  ]),
  ...within('src/kinds/vendor-b/columns.ts', [[124, "'/v1/vendor-b/v3/videos'", "'/v1/vendor-b/v2/videos'"]]),
  ...within('src/kinds/vendor-c-and-g/facts.ts', [[116, 'handleLifeMs: DAY_MS,', 'handleLifeMs: 23 * 3_600_000,']]),
  ...within('src/kinds/vendor-c-and-g/shared-columns.ts', [
    [128, "video-generation/video-synthesis';", "video-generation/synthesis';"],
  ]),
  ...within('src/kinds/vendor-c-and-g/wire.ts', [
    [115, "  ['RUNNING', 'running'],", "  ['RUNNING', 'failed'],"],
    [115, 'defined({ code: output.code ?? undefined, message', 'defined({ message', 1],
    [128, "const TASKS_PATH = '/v1/vendor-c/tasks';", "const TASKS_PATH = '/v1/vendor-c/task';", 1],
    [
      161,
      "unlessEmpty(columns(row, ['resolution', 'duration', 'watermark']))",
      "columns(row, ['resolution', 'duration', 'watermark'])",
    ],
    [172, 'all(media, column).map((item)', 'all(media, column).reverse().map((item)'],
  ]),
  ...within('src/kinds/vendor-d/wire.ts', [
    [117, 'id.startsWith(HANDLE_PREFIX) ? undefined :', "id !== '' ? undefined :"],
    [118, 'usage: usageOf(task.usage), ', ''],
    [129, 'path: `${vendorDVideo.path}/${segment(handle)}`', 'path: `${vendorDVideo.path}?id=${segment(handle)}`', 1],
    [173, 'content: [text, ...frames],', 'content: [...frames, text],'],
  ]),
  ...within('src/kinds/vendor-d/columns.ts', [[129, 'contents/generations/tasks', 'contents/generation/tasks']]),
  ...within('src/kinds/vendor-e/facts.ts', [[119, 'freshUrlOnPoll: true,', 'freshUrlOnPoll: false,']]),
  ...within('src/kinds/vendor-e/columns.ts', [
    [130, "'/v1/vendor-e/v2/video_generation'", "'/v1/vendor-e/video_generation'"],
  ]),
  ...within('src/kinds/vendor-e/wire.ts', [
    [120, 'defined({ usage, shownSeconds })', 'defined({ shownSeconds })'],
    [130, "const QUERY_PATH = '/v1/vendor-e/v2/query/", "const QUERY_PATH = '/v1/vendor-e/query/", 1],
    [178, "['last_frame', 'last_frame', 'image_url'],", "['last_frame', 'last_frame', 'video_url'],"],
    [178, "'reference_video', 'video_url'],", "'reference_video', 'image_url'],", 1],
  ]),
  ...within('src/kinds/vendor-f/columns.ts', [[131, ':predictLongRunning', ':predict']]),
  ...within('src/kinds/vendor-f/wire.ts', [
    [34, 'path: vendorFInteraction.path, body };', 'path: vendorFInteraction.path, body: {} };'],
    [34, "toString('utf8').trim())", "toString('utf8').trim().replaceAll(' ', ''))", 1],
    [
      121,
      'path: `${BASE_PATH}/operations/${segment(handle)}`',
      "path: `${BASE_PATH}/operations/${segment(handle.replace('operations/', ''))}`",
    ],
    [122, "  if (hasError) return failed('done with error', error);\n", ''],
    [123, 'generatedSamples.flatMap(', 'generatedSamples.slice(0, 1).flatMap('],
    [131, '`${BASE_PATH}/operations/${segment(handle)}`', '`${BASE_PATH}/operation/${segment(handle)}`', 1],
    [185, 'bytesBase64Encoded: image.base64,', 'bytesBase64Encoded: `data:${image.mediaType};base64,${image.base64}`,'],
    [194, "  if (error.code === UNREACHABLE_CODE) return 'unreachable';\n", ''],
    [195, "? 'disabled' : undefined;", '? undefined : undefined;'],
  ]),
];
