import type { HttpReply } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

/** The Sample directory in small, on loopback; it knows ann and eve. */
export async function openDirectory(key: string): Promise<FakeServer> {
  return await openFakeServer(({ headers, body }): HttpReply | Promise<HttpReply> => {
    if (headers.authorization === 'Bearer silence') return new Promise(() => undefined)
    if (headers.authorization !== `Bearer ${key}`) return { status: 401 }
    const { name, password } = JSON.parse(new TextDecoder().decode(body)) as { readonly name: string; readonly password: string }
    const isKnown = ['ann', 'eve'].includes(name) && password === `the words of ${name}`
    return isKnown ? { status: 200, body: JSON.stringify({ id: name }) } : { status: 404 }
  })
}
