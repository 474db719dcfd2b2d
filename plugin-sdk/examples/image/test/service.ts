import type { HttpReply } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

/** A PNG of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The Sample service in small, on loopback; it paints dots. */
export async function openService(key: string): Promise<FakeServer> {
  return await openFakeServer(({ url, headers, body }): HttpReply | Promise<HttpReply> => {
    if (headers.authorization === 'Bearer silence') return new Promise(() => undefined)
    if (headers.authorization !== `Bearer ${key}`) return { status: 401 }
    const { prompt = '' } = JSON.parse(new TextDecoder().decode(body)) as { readonly prompt?: string }
    if (url !== '/paint') return { status: 404 }
    return prompt.includes('dot') ? json(200, { picture: dot }) : json(422, { problem: 'it paints dots alone' })
  })
}

const json = (status: number, value: unknown): HttpReply => ({ status, body: JSON.stringify(value) })
