import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, readText, root } from './source-files.ts'

interface Decision {
  readonly page: string
  readonly heading: string
  readonly id: string | undefined
  readonly title: string
  readonly date: string | undefined
  /** Paths from the root of the repository. */
  readonly places: readonly string[]
  readonly text: string
}

const index = 'host/docs/decisions.md'
const decisions = listFiles('host/docs/decisions', /\.md$/).flatMap(readDecisions)

function readDecisions(page: string): readonly Decision[] {
  const sections = readText(page).split(/^## /m).slice(1)
  return sections.map((section) => {
    const [heading = '', , about = '', , ...text] = section.split('\n')
    const [, date, places = ''] = /^(\d{4}-\d\d-\d\d) → (.+)$/.exec(about) ?? []
    const links = [...places.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => join(dirname(page), target))
    const paths = [...places.matchAll(/`(plugins\/[^`]+)`/g)].map(([, path = '']) => path)
    const [, id, title = ''] = /^(D-\d{3}) (\S.*)$/.exec(heading) ?? []
    return { page, heading, id, title, date, places: [...links, ...paths], text: text.join('\n').trim() }
  })
}

/** The name that a page's reader gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** A path into a plugin's folder counts while the folder is there: deleting a plugin changes nothing else. */
function isThere(place: string): boolean {
  const [kinds = '', kind = '', name = ''] = place.split('/')
  const isGone = kinds === 'plugins' && !existsSync(join(root, kinds, kind, name))
  return isGone || existsSync(join(root, place))
}

test('every decision has an id, a title, a date, a text and a place that exists', () => {
  expect(decisions.length).toBeGreaterThan(90)
  const lacking = decisions.filter(
    ({ id, date, text, places }) => !id || !date || Number.isNaN(Date.parse(date)) || !text || places.length === 0,
  )
  expect(lacking.map(({ page, heading }) => `${page}: ${heading}`)).toEqual([])
  expect(decisions.flatMap(({ id, places }) => places.filter((place) => !isThere(place)).map((place) => `${id} ${place}`))).toEqual([])
})

test('no id is used twice', () => {
  const ids = decisions.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('the index lists every decision once, with its title and its place on its page', () => {
  const rows = readText(index)
    .split('\n')
    .filter((line) => line.startsWith('| [D-'))
  const wanted = decisions.map(
    ({ page, heading, id, title }) => `| [${id}](${page.slice('host/docs/'.length)}#${anchorOf(heading)}) | ${title} |`,
  )
  expect(rows.toSorted()).toEqual(wanted.toSorted())
})
