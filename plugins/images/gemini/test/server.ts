import type { HttpReply } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

/** A PNG of one pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']

interface Asked {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly { readonly text?: string }[] }[]
  readonly generationConfig?: { readonly responseModalities?: readonly string[]; readonly imageConfig?: { readonly aspectRatio?: string } }
}

/** `generateContent` in small: it refuses keys, models and words that the service refuses, and never answers the key `silence`. */
export async function openPainter(key: string): Promise<FakeServer> {
  return await openFakeServer(({ method, url, headers, body }): HttpReply | Promise<HttpReply> => {
    const [, model] = /^\/v1beta\/models\/([^/:]+):generateContent$/.exec(url) ?? []
    if (method !== 'POST' || model === undefined) return { status: 404 }
    if (headers['x-goog-api-key'] === 'silence') return new Promise(() => undefined)
    if (headers['x-goog-api-key'] !== key) return refuse(400, 'API key not valid. Please pass a valid API key.', 'API_KEY_INVALID')
    if (!model.endsWith('-image')) return refuse(404, `models/${model} is not found for API version v1beta.`)
    return answer(JSON.parse(new TextDecoder().decode(body)) as Asked)
  })
}

function answer({ contents, generationConfig = {} }: Asked): HttpReply {
  const text = contents?.[0]?.parts?.[0]?.text
  if (!text) return refuse(400, 'contents are not specified')
  const { responseModalities = [], imageConfig = {} } = generationConfig
  if (imageConfig.aspectRatio !== undefined && !ratios.includes(imageConfig.aspectRatio)) return refuse(400, 'Invalid aspect ratio.')
  if (text.includes('forbidden')) return json({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
  if (text.includes('unsafe')) return json({ candidates: [{ finishReason: 'IMAGE_SAFETY' }] })
  const words = { text: 'Here it is.' }
  const parts = responseModalities.includes('IMAGE') ? [words, { inlineData: { mimeType: 'image/png', data: pixel } }] : [words]
  return json({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1120, thoughtsTokenCount: 30, totalTokenCount: 1154 },
  })
}

const json = (value: unknown): HttpReply => ({ status: 200, body: JSON.stringify(value) })

function refuse(code: number, message: string, reason?: string): HttpReply {
  const details = reason ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }] : []
  return { status: code, body: JSON.stringify({ error: { code, message, status: 'INVALID_ARGUMENT', details } }) }
}
