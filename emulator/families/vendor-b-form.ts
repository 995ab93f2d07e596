/** The body of an avatar submit: the face, the speech and the canvas (service document 2, "Avatar video: POST body"). */

import { decodeBase64, fetchMedia, isHttpsOrLoopback } from '../media/input-media.js';
import { clipFacts, imageFacts } from '../media/media-facts.js';
import { MEGABYTE } from '../media/media-limits.js';
import { nearestSize, type Size } from '../media/media-mp4.js';
import { codedError, invalid, type ServiceError } from '../model/errors.js';
import { createRandom } from '../model/random.js';
import { charactersOf, type Fields } from './checks.js';

/** The voices that GET voices lists and that `voice_id` may name. */
export const VOICES = [
  { voice_id: 'v-amber-en', language: 'English', gender: 'female' },
  { voice_id: 'v-birch-en', language: 'English', gender: 'male' },
  { voice_id: 'v-cedar-zh', language: 'Chinese', gender: 'female' },
  { voice_id: 'v-dune-zh', language: 'Chinese', gender: 'male' },
  { voice_id: 'v-elm-es', language: 'Spanish', gender: 'female' },
  { voice_id: 'v-fern-de', language: 'German', gender: 'male' },
  { voice_id: 'v-grove-fr', language: 'French', gender: 'female' },
  { voice_id: 'v-heath-ja', language: 'Japanese', gender: 'male' },
] as const;

const RESOLUTIONS = ['720p', '1080p', '4k'] as const;
const SHORT_SIDES = { '720p': 720, '1080p': 1080, '4k': 2160 } as const;
const ASPECT_RATIOS = ['auto', '16:9', '9:16', '4:5', '5:4', '1:1'] as const;
/** No limits are documented for photo and track: only the memory is spared. */
const IMAGE_BYTES_MAX = 256 * MEGABYTE;
const AUDIO_BYTES_MAX = 256 * MEGABYTE;

/** What a checked body asks for. */
interface AvatarForm {
  /** The engine that renders: the photo engine or the catalog-avatar engine. */
  engine: 'avatar_iv' | 'avatar_v';
  size: Size;
  /** Seconds of speech. */
  seconds: number;
  /** Inputs by URL, which must stay reachable until the job completes. */
  urls: string[];
}

/** Checks a body; files by URL are fetched, and one that cannot be downloaded is `invalid_parameter`. */
export async function readAvatarForm(body: Fields, charactersPerSecond: number): Promise<AvatarForm> {
  const type = body.needOneOf('type', ['image', 'avatar']);
  const face = type === 'image' ? checkImageForm(body) : checkAvatar(body);
  const speech = checkSpeechForm(body);
  const size = canvasOf(body, type);
  if (face.url !== undefined) await checkImageUrl(face.url);
  const seconds =
    speech.url === undefined ? spokenSeconds(speech.script, charactersPerSecond) : await audioSeconds(speech.url);
  const urls = [face.url, speech.url].filter((url) => url !== undefined);
  return { engine: type === 'image' ? 'avatar_iv' : 'avatar_v', size, seconds, urls };
}

interface Face {
  url?: string;
}

function checkImageForm(body: Fields): Face {
  body.refuse(['engine'], "must be left out when 'type' is 'image'.");
  const image = body.needObject('image');
  if (image.needOneOf('type', ['url', 'base64']) === 'url') return { url: needUrl(image, 'url') };
  const mediaType = image.needString('media_type');
  if (!/^image\/[\w.+-]+$/.test(mediaType))
    throw invalid("'image.media_type' must be an image type such as image/jpeg.");
  const bytes = decodeBase64(image.needString('data'));
  if (bytes === undefined) throw invalid("'image.data' must be base64 without a data: prefix.");
  if (imageFacts(bytes) === undefined) throw invalid("'image.data' is not an image.");
  return {};
}

function checkAvatar(body: Fields): Face {
  body.needString('avatar_id');
  body.needObject('engine').needOneOf('type', ['avatar_v']);
  return {};
}

function needUrl(fields: Fields, name: string): string {
  const url = fields.needString(name);
  if (!isHttpsOrLoopback(url)) throw invalid(`'${fields.path(name)}' must be a public HTTPS URL.`);
  return url;
}

function checkSpeechForm(body: Fields): { url?: string; script: string } {
  if (body.has('audio_url') && body.has('script')) throw invalid("Send one speech source: 'audio_url' or 'script'.");
  if (body.has('audio_url')) return { url: needUrl(body, 'audio_url'), script: '' };
  if (!body.has('script')) throw invalid("A speech source is required: 'audio_url', or 'script' with 'voice_id'.");
  const script = body.needString('script');
  const voice = body.needString('voice_id');
  if (!VOICES.some((known) => known.voice_id === voice)) throw invalid(`'voice_id' '${voice}' is not a listed voice.`);
  return { script };
}

function spokenSeconds(script: string, charactersPerSecond: number): number {
  return Math.max(1, charactersOf(script.trim()) / charactersPerSecond);
}

function canvasOf(body: Fields, type: 'image' | 'avatar'): Size {
  const resolution = body.string('resolution') ?? '1080p';
  const known = RESOLUTIONS.find((value) => value === resolution);
  if (known === undefined) {
    throw codedError(400, 'unsupported_resolution', `'${resolution}' is not one of ${RESOLUTIONS.join(', ')}.`);
  }
  const ratio = body.oneOf('aspect_ratio', ASPECT_RATIOS) ?? '16:9';
  // The photo engine does not read the photo: `auto` comes back as 1280x720.
  if (ratio === 'auto' && type === 'image') return { width: 1280, height: 720 };
  if (ratio === 'auto') return nearestSize(SHORT_SIDES[known], avatarShape(body.needString('avatar_id')));
  const [width = 16, height = 9] = ratio.split(':').map(Number);
  return nearestSize(SHORT_SIDES[known], width / height);
}

/** Catalog avatars have shapes of their own; the catalog is not shown, so the shape follows from the id. */
function avatarShape(avatarId: string): number {
  return createRandom(0, avatarId).pick([16 / 9, 9 / 16, 1] as const);
}

const DOC_URL = 'https://docs.example.com/errors/invalid_parameter';

function notDownloadable(name: string, reason: string): ServiceError {
  return codedError(400, 'invalid_parameter', `The URL in '${name}' ${reason}.`, { doc_url: DOC_URL });
}

async function checkImageUrl(url: string): Promise<void> {
  const fetched = await fetchMedia(url, IMAGE_BYTES_MAX);
  if (fetched.kind === 'failed') throw notDownloadable('image.url', fetched.reason);
  if (fetched.kind === 'loaded' && imageFacts(fetched.bytes) === undefined) {
    throw notDownloadable('image.url', 'does not hold an image');
  }
}

async function audioSeconds(url: string): Promise<number> {
  const fetched = await fetchMedia(url, AUDIO_BYTES_MAX);
  if (fetched.kind === 'failed') throw notDownloadable('audio_url', fetched.reason);
  // A track that cannot be seen from here still needs a length; it follows from the URL.
  if (fetched.kind === 'unseen') return createRandom(0, url).between(5, 30);
  const facts = await clipFacts(fetched.bytes);
  if (facts === undefined || (facts.format !== 'wav' && facts.format !== 'mp3')) {
    throw notDownloadable('audio_url', 'does not hold a WAV or MP3 track');
  }
  return facts.seconds;
}
