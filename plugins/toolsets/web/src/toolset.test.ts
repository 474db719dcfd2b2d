import type { ToolCall, ToolContext, ToolResult, ToolRun, WebSource } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { tools } from './tools.ts'
import toolset from './toolset.ts'

const declared = tools

async function run(name: keyof typeof declared, args: unknown, web: WebSource, extract_char_limit = 15_000): Promise<ToolResult> {
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
  const { tools } = await toolset.open(
    { web, config: { extract_char_limit } } as unknown as ToolContext<{ extract_char_limit: number }>,
    call,
  )
  const toolCall = { args: declared[name].parameters.parse(args) } as ToolCall
  return (tools[name] as ToolRun)(toolCall, call)
}

const page = (url: string, text: string) => ({ url, title: 'A title', text })

test('hits are numbered, for the model and for doors', async () => {
  const asked: unknown[] = []
  const result = await run(
    'web_search',
    { query: 'words' },
    {
      search: async (search) => {
        asked.push(search)
        return [
          { url: 'https://a.example', title: 'A', excerpt: 'Some words.' },
          { url: 'https://b.example', title: 'B', excerpt: '' },
        ]
      },
    },
  )
  expect(asked).toEqual([{ query: 'words', most: 5 }])
  expect(result).toMatchObject({
    text: '1. A\nhttps://a.example\nSome words.\n\n2. B\nhttps://b.example',
    data: { web: [{ position: 1, title: 'A', url: 'https://a.example', description: 'Some words.' }, { position: 2 }] },
  })
  expect(await run('web_search', { query: 'x' }, { search: async () => [] })).toMatchObject({ ok: true, text: 'Nothing was found for x.' })
})

test('an address that fails does not fail the others', async () => {
  const extract: WebSource['extract'] = async (url) => {
    if (url.includes('b.example')) throw fail('WEB_ADDRESS_REFUSED', { url, reason: 'no' })
    return page(url, 'Words.')
  }
  const both = await run('web_extract', { urls: ['https://a.example', 'https://b.example', 'https://a.example'] }, { extract })
  expect(both).toEqual({ ok: true, text: 'A title\nhttps://a.example\n\nWords.\n\nhttps://b.example\nhttps://b.example is not asked: no.' })
  expect(await run('web_extract', { urls: ['https://b.example'] }, { extract })).toMatchObject({
    ok: false,
    error: { code: 'WEB_ADDRESS_REFUSED' },
  })
})

test('a long page keeps its beginning and its end, in whole lines', async () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n')
  const result = await run('web_extract', { urls: ['https://a.example'] }, { extract: async (url) => page(url, lines) }, 2000)
  const text = result.ok ? result.text : ''
  expect(text.length).toBeLessThan(2100)
  expect(text).toMatch(/line 0\n.*\nline \d+\n… \d+ characters left out …\nline \d+\n.*line 999$/s)
  const [, left = ''] = /… (\d+) characters/.exec(text) ?? []
  const kept = text.slice(text.indexOf('line 0')).replace(/\n… .* …\n/, '')
  expect(kept.length + Number(left)).toBe(lines.length)
})

test.each(['a'.repeat(100_000), '😀'.repeat(50_000)])('a page without lines is cut too', async (text) => {
  const result = await run('web_extract', { urls: ['https://a.example'] }, { extract: async (url) => page(url, text) }, 2001)
  expect(result.ok && result.text).not.toMatch(/\p{Surrogate}/u)
  expect(result.ok && result.text.length).toBeLessThan(2200)
})

test('the pages of a crawl share what a result may hold', async () => {
  const crawl: WebSource['crawl'] = async ({ url, most }) => Array.from({ length: most }, () => page(url, 'word '.repeat(10_000)))
  const result = await run('web_crawl', { url: 'https://a.example', limit: 20 }, { crawl })
  expect(result.ok && result.text.length).toBeLessThan(90_000)
  expect(await run('web_crawl', { url: 'https://a.example' }, { crawl: async () => [] })).toMatchObject({
    text: 'https://a.example leads to no page.',
  })
})

test('what the web says of itself keeps its code', async () => {
  const lacks = async (): Promise<never> => {
    throw fail('WEB_BACKEND_LACKS', { what: 'search' })
  }
  expect(await run('web_search', { query: 'x' }, { search: lacks })).toEqual({
    ok: false,
    error: { code: 'WEB_BACKEND_LACKS', params: { what: 'search' } },
  })
  expect(await run('web_crawl', { url: 'https://a.example' }, { crawl: lacks })).toMatchObject({ ok: false })
})

test.each([{ urls: [] }, { urls: Array(6).fill('https://a.example') }])('%j is refused', (args) => {
  expect(declared.web_extract.parameters.safeParse(args).success).toBe(false)
})
