import { type Call, type Context, type ImageBackend, type ImageWish, maxImagePiece } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeError, parseJson } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { parsePicture, parseProblem } from './wire.ts'

const backend: ImageBackend<Config> = {
  async open(context) {
    return {
      generate: async function* (wish, call) {
        const bytes = await paint(context, wish, call)
        for (let at = 0; at < bytes.length; at += maxImagePiece) yield bytes.subarray(at, at + maxImagePiece)
      },
    }
  },
}

/** Every failure has a code; the words are for the person. */
function failure(detail: string): Error {
  return fail('PLUGIN_FAILED', { plugin: 'image-sample', during: 'painting', detail })
}

async function paint({ config, secrets, fetch }: Context<Config>, wish: ImageWish, { signal }: Call): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${await secrets.get('SAMPLE_API_KEY')}`, 'Content-Type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(wish), signal }
  const [{ ok, status }, text] = await fetch(`${config.server}/paint`, request)
    .then(async (response) => [response, await response.text()] as const)
    .catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failure(describeError(error).detail)
    })
  const body = parseJson(text)
  if (status === 401) throw fail('ENV_INVALID', { name: 'SAMPLE_API_KEY', problem: 'was refused by the service' })
  if (!ok) throw failure(parseProblem(body) ?? `the service answered ${status}`)
  const picture = parsePicture(body)
  if (picture === undefined) throw failure('its answer cannot be read')
  return Buffer.from(picture, 'base64')
}

export default backend
