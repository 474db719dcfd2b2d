import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fetchSkills } from './fetch-skills.ts'
import { parseSource } from './skill-source.ts'

let staging: string
beforeEach(() => {
  staging = mkdtempSync(join(tmpdir(), 'fetch-'))
})
afterEach(() => rmSync(staging, { recursive: true, force: true }))

const at = 'https://skills.example/.well-known/skills/'
const page = '---\nname: tea\ndescription: Make tea.\n---\nBoil water.\n'

/** Fetches from an index that says this; every file of a skill is the same page. */
async function fetchIndex(index: unknown, files: Readonly<Record<string, () => Response>> = {}) {
  const asked: string[] = []
  const fetch = async (address: URL, init: RequestInit): Promise<Response> => {
    asked.push(`${address.href.replace(at, '')} ${init.redirect}`)
    if (address.href === `${at}index.json`) return new Response(typeof index === 'string' ? index : JSON.stringify(index))
    return files[address.href.replace(at, '')]?.() ?? new Response(page)
  }
  const { signal } = new AbortController()
  const options = { staging, installRoot: staging, environment: {}, signal, fetch: fetch as unknown as typeof globalThis.fetch }
  const fetched = await fetchSkills(parseSource('https://skills.example', staging), options)
  return { asked, fetched }
}

const lists = (...files: readonly string[]) => ({ skills: [{ name: 'tea', files }] })

test('an index is read first, then each file of its skills, and no redirect is followed', async () => {
  const { asked, fetched } = await fetchIndex(lists('SKILL.md', 'references/two words.md'))
  expect(asked).toEqual(['index.json error', 'tea/SKILL.md error', 'tea/references/two%20words.md error'])
  expect(fetched).toMatchObject({ resolved: `${at}index.json`, folders: [expect.stringMatching(/tea$/)] })
  expect(readFileSync(join(fetched.folders[0] ?? '', 'SKILL.md'), 'utf8')).toBe(page)
})

test.each(['../../../x.md', '/etc/x.md', 'a/../../x.md', '.ssh/x', 'a\\x.md', 'a//x.md', ''])(
  'a file %j of an index is refused before it is asked for',
  async (file) => {
    await expect(fetchIndex(lists(file))).rejects.toMatchObject({
      code: 'PLUGIN_FETCH',
      params: { detail: `its index names a file outside of the skill: tea/${file}` },
    })
    expect(readdirSync(staging, { recursive: true }).filter((name) => String(name).endsWith('.md'))).toEqual([])
  },
)

test.each<[string, unknown, string]>([
  ['no JSON', '{', 'its index is not JSON'],
  ['no list', { skills: 7 }, 'its index is no list of skills with their files'],
  ['nothing', null, 'its index is no list of skills with their files'],
  ['a name that leads elsewhere', { skills: [{ name: '../tea', files: ['SKILL.md'] }] }, 'its index is no list of skills with their files'],
  ['too many files', lists(...Array<string>(201).fill('a.md')), 'its index is no list of skills with their files'],
  ['too many skills', { skills: Array(201).fill({ name: 'tea', files: [] }) }, 'its index is no list of skills with their files'],
  ['no page', lists('README.md'), 'there is no SKILL.md in it'],
])('an index with %s is refused', async (_what, index, detail) => {
  await expect(fetchIndex(index)).rejects.toMatchObject({ code: 'PLUGIN_FETCH', params: { detail } })
})

test('a file that is too large or not there is named', async () => {
  const file = { 'tea/SKILL.md': () => new Response('x'.repeat(65_537)) }
  await expect(fetchIndex(lists('SKILL.md'), file)).rejects.toMatchObject({
    params: { detail: expect.stringContaining('is larger than 64 KiB') },
  })
  const gone = { 'tea/SKILL.md': () => new Response('', { status: 404 }) }
  await expect(fetchIndex(lists('SKILL.md'), gone)).rejects.toMatchObject({
    params: { detail: expect.stringContaining('is answered with 404') },
  })
  const lost = {
    'tea/SKILL.md': (): Response => {
      throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND skills.example') })
    },
  }
  await expect(fetchIndex(lists('SKILL.md'), lost)).rejects.toMatchObject({ params: { detail: expect.stringContaining('ENOTFOUND') } })
  expect(existsSync(join(staging, 'package'))).toBe(false)
})

test('skills of an index that are large together are refused on the way', async () => {
  const many = Array.from({ length: 200 }, (_, at) => `${at}.md`)
  const names = ['tea', 'milk']
  const files = Object.fromEntries(
    names.flatMap((name) => many.map((file) => [`${name}/${file}`, () => new Response(new Uint8Array(65_000))])),
  )
  await expect(fetchIndex({ skills: names.map((name) => ({ name, files: many })) }, files)).rejects.toMatchObject({
    code: 'PLUGIN_FETCH',
    params: { detail: 'its skills are larger than 20 MiB together' },
  })
})
