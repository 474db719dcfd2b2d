import type { HttpReply } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'

const pages = ['https://a.example/one', 'https://b.example/two', 'https://a.example/one', 'https://c.example/three']

/**
 * SearXNG in small, on loopback. Below `/html` it is as it is installed, without JSON; below `/limited` it has had enough; below `/silent` it takes
 * a search and never answers.
 */
export async function openSearxng(): Promise<FakeServer> {
  return await openFakeServer(({ method, url }): HttpReply | Promise<HttpReply> => {
    const { pathname, searchParams } = new URL(url, 'http://searxng')
    if (!pathname.endsWith('/search') || method !== 'GET') return { status: 404 }
    if (pathname === '/silent/search') return new Promise(() => undefined)
    if (pathname === '/limited/search') return { status: 429, body: 'Too Many Requests' }
    const formats = pathname === '/html/search' ? ['html'] : ['html', 'json']
    const format = searchParams.get('format') ?? 'html'
    if (!formats.includes(format)) return { status: 403, body: '<h1>Forbidden</h1>' }
    return format === 'html' ? { status: 200, body: '<!DOCTYPE html>' } : answerJson(searchParams.get('q') ?? '')
  })
}

function answerJson(query: string): HttpReply {
  if (query === '') return { status: 400, body: JSON.stringify({ error: 'No query' }) }
  const results = pages.map((page) => ({ url: page, title: `About ${query}`, content: 'Words.', engine: 'made up', score: 1 }))
  return { status: 200, body: JSON.stringify({ query, number_of_results: 0, results, answers: [], unresponsive_engines: [] }) }
}
