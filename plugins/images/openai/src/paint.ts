import { type Call, type Context, type ImageBackend, type ImageShape, type ImageWish, maxImagePiece } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeError, parseJson } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { parsePicture, parseRefusal, parseTook, type Took } from './wire.ts'

const backend: ImageBackend<Config> = {
  async open(context) {
    return {
      generate: async function* (wish, call) {
        const { bytes, took } = await paint(context, wish, call)
        for (let at = 0; at < bytes.length; at += maxImagePiece) yield bytes.subarray(at, at + maxImagePiece)
        if (took) yield took
      },
    }
  },
}

/** The GPT image models, and DALL·E 3, which knows other sizes; others take what the first take. */
const sizes: Readonly<Record<ImageShape, string>> = { square: '1024x1024', landscape: '1536x1024', portrait: '1024x1536' }
const sizesOfDallE: Readonly<Record<ImageShape, string>> = { square: '1024x1024', landscape: '1792x1024', portrait: '1024x1792' }

function bodyOf({ model, quality }: Config, { prompt, shape }: ImageWish): unknown {
  const isGpt = /^(gpt|chatgpt)-image/.test(model)
  const size = (model.startsWith('dall-e') ? sizesOfDallE : sizes)[shape]
  return {
    ...{ model, prompt, size, n: 1 },
    // The GPT image models always answer so, and refuse the word; DALL·E refuses their qualities.
    ...(isGpt ? {} : { response_format: 'b64_json' }),
    ...(quality === 'auto' || !isGpt ? {} : { quality }),
  }
}

interface Painted {
  readonly bytes: Uint8Array
  readonly took: Took | undefined
}

async function paint({ config, secrets, fetch }: Context<Config>, wish: ImageWish, { signal }: Call): Promise<Painted> {
  const headers = { Authorization: `Bearer ${await secrets.get('OPENAI_API_KEY')}`, 'Content-Type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(bodyOf(config, wish)), signal }
  const [{ ok, status }, text] = await fetch(`${config.base_url.replace(/\/$/, '')}/images/generations`, request)
    .then(async (response) => [response, await response.text()] as const)
    .catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failure(describeError(error).detail)
    })
  const body = parseJson(text)
  if (status === 401) throw fail('ENV_INVALID', { name: 'OPENAI_API_KEY', problem: 'was refused by the service' })
  if (!ok) throw failure(parseRefusal(body) ?? `the service answered ${status}`)
  const picture = parsePicture(body)
  if (picture === undefined) throw failure('its answer holds no picture')
  return { bytes: Buffer.from(picture, 'base64'), took: parseTook(body) }
}

function failure(detail: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'image-openai', during: 'painting', detail })
}

export default backend
