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

const ratios: Readonly<Record<ImageShape, string>> = { square: '1:1', landscape: '3:2', portrait: '2:3' }

function bodyOf({ prompt, shape }: ImageWish): unknown {
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: ratios[shape] } },
  }
}

interface Painted {
  readonly bytes: Uint8Array
  readonly took: Took | undefined
}

async function paint({ config, secrets, fetch }: Context<Config>, wish: ImageWish, { signal }: Call): Promise<Painted> {
  const { model, base_url } = config
  const headers = { 'x-goog-api-key': await secrets.get('GEMINI_API_KEY'), 'Content-Type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(bodyOf(wish)), signal }
  const [{ ok, status }, text] = await fetch(`${base_url.replace(/\/$/, '')}/models/${encodeURIComponent(model)}:generateContent`, request)
    .then(async (response) => [response, await response.text()] as const)
    .catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failure(describeError(error).detail)
    })
  const body = parseJson(text)
  const refused = ok ? undefined : parseRefusal(body)
  if (refused?.isKey || status === 401 || status === 403)
    throw fail('ENV_INVALID', { name: 'GEMINI_API_KEY', problem: 'was refused by the service' })
  if (!ok) throw failure(refused?.message ?? `the service answered ${status}`)
  const { picture, reason } = parsePicture(body)
  if (picture === undefined) throw failure(reason)
  return { bytes: Buffer.from(picture, 'base64'), took: parseTook(body) }
}

function failure(detail: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'image-gemini', during: 'painting', detail })
}

export default backend
