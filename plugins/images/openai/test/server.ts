import type { HttpReply } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

/** A PNG of one pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const known: Readonly<Record<string, readonly string[]>> = {
  'gpt-image-2': ['1024x1024', '1536x1024', '1024x1536', 'auto'],
  'gpt-image-1': ['1024x1024', '1536x1024', '1024x1536', 'auto'],
  'dall-e-3': ['1024x1024', '1792x1024', '1024x1792'],
}
const fields = ['model', 'prompt', 'n', 'size', 'quality', 'response_format', 'background', 'output_format', 'moderation', 'user']

/** The image API in small: it refuses keys, models, sizes and words that the service refuses, and never answers the key `silence`. */
export async function openPainter(key: string): Promise<FakeServer> {
  return await openFakeServer(({ method, url, headers, body }): HttpReply | Promise<HttpReply> => {
    if (method !== 'POST' || url !== '/v1/images/generations') return refuse(404, 'Invalid URL', 'invalid_request_error')
    if (headers.authorization === 'Bearer silence') return new Promise(() => undefined)
    if (headers.authorization !== `Bearer ${key}`) return refuse(401, 'Incorrect API key provided.', 'invalid_api_key')
    const asked = JSON.parse(new TextDecoder().decode(body)) as Readonly<Record<string, unknown>>
    const problem = problemOf(asked)
    if (problem !== undefined) return refuse(400, problem, 'invalid_request_error')
    if (String(asked.prompt).includes('forbidden'))
      return refuse(400, 'Your request was rejected by the safety system.', 'moderation_blocked')
    return {
      status: 200,
      body: JSON.stringify({
        created: 1,
        data: [{ b64_json: pixel }],
        usage: { total_tokens: 1066, input_tokens: 10, output_tokens: 1056 },
      }),
    }
  })
}

function problemOf(asked: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(asked).find((name) => !fields.includes(name))
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`
  const model = String(asked.model)
  const sizes = known[model]
  if (!sizes) return `The model '${model}' does not exist.`
  if (!sizes.includes(String(asked.size))) return `Invalid value: '${String(asked.size)}'.`
  if (model.startsWith('gpt-image') && 'response_format' in asked) return "Unknown parameter: 'response_format'."
  if (model === 'dall-e-3' && 'quality' in asked && !['hd', 'standard'].includes(String(asked.quality))) return "Invalid value: 'quality'."
  return typeof asked.prompt === 'string' && asked.prompt !== '' ? undefined : "Missing required parameter: 'prompt'."
}

function refuse(status: number, message: string, code: string): HttpReply {
  return { status, body: JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } }) }
}
