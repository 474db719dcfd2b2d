import type { HttpReply } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

const pages = ['https://a.example/one', 'https://b.example/two', 'https://c.example/three']

/** The Sample service in small, on loopback; it knows three pages. */
export async function openService(key: string): Promise<FakeServer> {
  return await openFakeServer(({ url, headers, body }): HttpReply | Promise<HttpReply> => {
    if (headers.authorization === 'Bearer silence') return new Promise(() => undefined)
    if (headers.authorization !== `Bearer ${key}`) return { status: 401 }
    const question = JSON.parse(new TextDecoder().decode(body)) as { readonly url?: string }
    if (url === '/search') return json({ hits: pages.map((page) => ({ url: page, title: page, excerpt: 'words' })) })
    const found = pages.find((page) => page === question.url)
    return found === undefined ? { status: 404 } : json({ url: found, title: 'A page', markdown: '# A page\n\nWords.' })
  })
}

const json = (value: unknown): HttpReply => ({ status: 200, body: JSON.stringify(value) })
