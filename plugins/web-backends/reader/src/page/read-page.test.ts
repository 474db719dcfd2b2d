import { expect, test } from 'vitest'
import { readPage } from './read-page.ts'

const url = 'https://a.example/folder/page'
const read = (html: string) => readPage({ url, html })
const words = 'Bread needs flour, water, salt and a good deal of time, and who hurries it eats something else. '

test('of a page with an article only that is read, with its links and pictures whole', () => {
  const { title, text, links } = read(`<!doctype html><html><head><title>Bread - A paper</title></head><body>
    <nav><a href="/home">Home</a><a href="/more">More</a></nav>
    <article><h1>Bread</h1>${`<p>${words.repeat(4)}</p>`.repeat(5)}
      <p>See <a href="../salt#grains">the <b>salt</b></a>.</p><p><img src="loaf.png" alt="A loaf"></p></article>
    <footer>All rights</footer></body></html>`)
  expect(title).toContain('Bread')
  expect(text).toContain('Bread needs flour')
  expect(text).toContain('[the **salt**](https://a.example/salt#grains)')
  expect(text).toContain('![A loaf](https://a.example/folder/loaf.png)')
  expect(text).not.toMatch(/Home|All rights/)
  expect(links).toEqual(['https://a.example/home', 'https://a.example/more', 'https://a.example/salt'])
})

test('of a page without an article all is read, and of its scripts nothing', () => {
  const { title, text } = read(
    '<html><head><title> Hours </title><style>p{}</style></head><body><p>Open</p><script>alert(1)</script></body></html>',
  )
  expect([title, text]).toEqual(['Hours', 'Open'])
})

test.each([
  ['no body', '<!doctype html><html><head><title>Hours</title></head><p>Open</html>'],
  ['no tags around it', '<title>Hours</title><p>Open'],
  ['only a part', '<p>Open</p>'],
])('a page with %s is read too', (_name, html) => {
  expect(read(html).text).toBe('Open')
})

test('addresses start from the base of the page, and others than those of the web are left out', () => {
  const { text, links } = read(
    '<head><base href="https://b.example/x/"></head><body><a href="y">y</a> <a href="javascript:alert(1)">run</a> <a href="mailto:a@b.example">post</a> <a rel="nofollow" href="z">z</a><img src="data:image/png;base64,AAAA" alt="dot"></body>',
  )
  expect(links).toEqual(['https://b.example/x/y'])
  expect(text).toBe('[y](https://b.example/x/y) run post [z](https://b.example/x/z)')
})

test('a table becomes one of Markdown, with a head where it has none', () => {
  const { text } = read(
    '<body><table><tbody><tr><td>Day</td><td>From | to</td></tr><tr><td>Monday</td><td>9<br>17</td></tr></tbody></table></body>',
  )
  expect(text.split('\n')).toEqual(['| Day | From \\| to |', '| --- | --- |', '| Monday | 9 17 |'])
})

test('a page that is deep, or has many parts, is read as a whole', () => {
  expect(read(`<html><body>${'<div>'.repeat(150)}Deep`).text).toBe('Deep')
  expect(() => read(`<html><body>${'<div>'.repeat(500)}Deep`)).toThrow('more than 200 deep')
  expect(read(`<html><body><nav>Way</nav>${'<p>x'.repeat(31_000)}`).text).toMatch(/^Way/)
  expect(() => read(`<html><body>${'<b>'.repeat(100_001)}`)).toThrow('it has more than 100000 tags')
})

test('a page of nothing has no text, and its address for a title', () => {
  expect(read('<html><body></body></html>')).toEqual({ title: url, text: '', links: [] })
})

test('a small page does not become a huge one: long addresses and titles are left out, and a text has an end', () => {
  const long = 'x'.repeat(3000)
  const { title, text, links } = read(
    `<head><title>One\n${long}</title><base href="https://b.example/${long}/"></head><body><a href="y">y</a> <a href="/${long}">far</a></body>`,
  )
  expect([title.length, title.slice(0, 6)]).toEqual([300, 'One xx'])
  expect(links).toEqual(['https://a.example/folder/y'])
  expect(text).toBe('[y](https://a.example/folder/y) far')
  expect(read(`<body><p>${'word '.repeat(500_000)}</p></body>`).text).toHaveLength(2_000_000)
})
