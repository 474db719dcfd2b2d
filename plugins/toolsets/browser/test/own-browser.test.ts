// @module-tag browser
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepConnection } from '../src/connection.ts'
import { type BrowserRig, openBrowserRig, refIn } from './browser-rig.ts'

let profile: string
let url: string
let end: () => Promise<void>
let rig: BrowserRig
beforeEach(async () => {
  profile = mkdtempSync(join(tmpdir(), 'own-browser-'))
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    '--no-proxy-server',
    'about:blank',
  ]
  const hosts = '--host-resolver-rules=MAP shop.example 127.0.0.1, MAP other.example 127.0.0.1'
  const person = spawn('/usr/bin/chromium', [...flags, hosts], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const said = new Promise<string>((found) => {
    let text = ''
    person.stderr.on('data', (bytes) => {
      text += String(bytes)
      const [, port] = /listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? []
      if (port !== undefined) found(`http://127.0.0.1:${port}`)
    })
  })
  const over = once(person, 'exit')
  end = async () => {
    if (person.pid !== undefined) process.kill(-person.pid, 'SIGKILL')
    await over
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  url = await said
})
afterEach(async () => {
  await rig?.close()
  await end()
})

test("the person's own browser is used in a separate tab, after a yes, and asked about once for each site", async () => {
  rig = await openBrowserRig('in this process')
  await keepConnection(rig.context.state, url)
  rig.answer = 'No'
  expect(await rig.say('browser_navigate', { url: rig.site.url('/order') })).toMatch(/^TOOL_FAILED.*does not want it/)
  rig.answer = 'Yes'
  const seen = await rig.say('browser_navigate', { url: rig.site.url('/order') })
  expect(seen).toContain('"Order" —')
  expect(rig.questions).toEqual([expect.stringContaining(`your own browser at ${url}`), expect.stringContaining('with your logins')])
  rig.answer = 'No'
  expect(await rig.say('browser_click', { ref: refIn(seen, '"Gift"') })).toMatch(/does not want it/)
  rig.answer = 'Yes'
  expect(await rig.say('browser_click', { ref: refIn(seen, '"Gift"') })).toContain('Clicked')
  await rig.say('browser_click', { ref: refIn(seen, '"Gift"') })
  expect(rig.questions.length).toBe(4)
  for (const path of ['/metadata', '/home'])
    expect(await rig.say('browser_navigate', { url: rig.site.url(path) })).toMatch(/^WEB_ADDRESS_REFUSED.*private network/)
  expect(rig.site.asked.filter((line) => !line.includes('shop.example'))).toEqual([])
  expect(await pagesOf()).toHaveLength(2)
  await keepConnection(rig.context.state, undefined)
  expect(await rig.say('browser_snapshot')).toMatch(/no page is open/)
  await expect.poll(pagesOf).toEqual(['about:blank'])
})

test('a browser that the settings name is used apart from its other pages, without a question, and goes on at the end', async () => {
  rig = await openBrowserRig('in this process', { cdp_url: url })
  expect(await rig.say('browser_navigate', { url: rig.site.url('/') })).toContain('"Shop" —')
  expect(await rig.say('browser_navigate', { url: rig.site.url('/home') })).toMatch(/^WEB_ADDRESS_REFUSED/)
  expect(rig.questions).toEqual([])
  await rig.close()
  await expect.poll(pagesOf).toEqual(['about:blank'])
})

test('in the own browser a page that opens another, or leads, into this network shows nothing of it', async () => {
  rig = await openBrowserRig('in this process')
  await keepConnection(rig.context.state, url)
  const opens = await rig.say('browser_navigate', { url: rig.site.url('/opens') })
  const clicked = await rig.say('browser_click', { ref: refIn(opens, '"Secret"') })
  expect(clicked).toMatch(/another page, which was closed: .*private network/)
  expect(await rig.say('browser_snapshot', { full: true })).toContain('"Opens"')
  const leads = await rig.say('browser_navigate', { url: rig.site.url('/leads-home') })
  expect(await rig.say('browser_click', { ref: refIn(leads, '"Secret"') })).toMatch(
    /is not asked: it leads into a private network.*\n\nClicked/,
  )
  for (const tool of ['browser_snapshot', 'browser_get_images', 'browser_console'])
    expect(await rig.say(tool)).toMatch(/^WEB_ADDRESS_REFUSED/)
  expect(await rig.say('browser_back')).toContain('Leads')
  expect(await rig.say('browser_snapshot')).toContain('"Secret"')
  await keepConnection(rig.context.state, undefined)
  expect(await rig.say('browser_snapshot')).toMatch(/no page is open/)
  await expect.poll(pagesOf).toEqual(['about:blank'])
})

test('a yes for one site is no yes for the one that the page goes to meanwhile', async () => {
  rig = await openBrowserRig('in this process')
  await keepConnection(rig.context.state, url)
  await rig.say('browser_navigate', { url: rig.site.url('/leaves') })
  const bank = rig.site.url('/order', 'other.example')
  rig.onQuestion = async () => void (await expect.poll(pagesOf).toContain(bank))
  expect(await rig.say('browser_console', { expression: 'document.title' })).toMatch(/^TOOL_FAILED.*gone to another site/)
  rig.onQuestion = async () => undefined
  rig.answer = 'No'
  expect(await rig.say('browser_press', { key: 'Enter' })).toMatch(/does not want it/)
  expect(rig.questions.at(-1)).toContain('other.example')
})

test('workers and sockets of a browser that the settings name go out here too', async () => {
  rig = await openBrowserRig('in this process', { cdp_url: url })
  await rig.say('browser_navigate', { url: rig.site.url('/worker') })
  await expect.poll(() => rig.say('browser_console')).toMatch(/socket refused/)
  const opens = await rig.say('browser_navigate', { url: rig.site.url('/opens') })
  expect(await rig.say('browser_click', { ref: refIn(opens, '"Secret"') })).toMatch(/is not asked: it leads into a private network/)
  expect(await rig.say('browser_snapshot', { full: true })).toMatch(/^WEB_ADDRESS_REFUSED/)
  expect(rig.site.asked.filter((line) => !line.includes('shop.example'))).toEqual([])
})

test('a browser that does not answer is named, with what to do', async () => {
  rig = await openBrowserRig('in this process', { cdp_url: 'http://127.0.0.1:9' })
  expect(await rig.say('browser_navigate', { url: rig.site.url('/') })).toMatch(
    /no browser answers at http:\/\/127\.0\.0\.1:9.*--remote-debugging-port/,
  )
})

/** Addresses of the pages in the person's browser. */
async function pagesOf(): Promise<readonly string[]> {
  const all = (await (await fetch(`${url}/json/list`)).json()) as readonly { readonly type: string; readonly url: string }[]
  return all.filter(({ type }) => type === 'page').map((page) => page.url)
}
