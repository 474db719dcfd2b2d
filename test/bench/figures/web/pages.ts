import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelMessage } from '@agent/plugin-sdk'
import type { Page } from 'playwright-core'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { newId } from '../../../../host/src/kernel/ids.ts'
import { silentLog } from '../../../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../../../host/src/store/native.ts'
import { openStore } from '../../../../host/src/store/sqlite/open.ts'
import { makeHome } from '../../bench-home.ts'
import { type Bench, type Figure, median, type Row, slownessOf } from '../../figure.ts'
import { timeStarts } from '../../processes.ts'
import { openDashboard } from './dashboard-process.ts'

const loads = 5
const messages = 2_000
const tokens = 10_000
/** A middling telephone on a middling line. */
const throttled = { cpu: 4, latency: 40, bytesPerSecond: 1_250_000 }
const text = join('host', 'src', 'cli', 'chat', 'render', 'fixtures', 'everything.md')
const composer = 'Message to the agent'

type NewPage = () => Promise<{ readonly page: Page; close(): Promise<void> }>

/** The built page in Debian's Chromium: how soon it can be used, and whether long chats keep it from drawing. */
export const webPages: Figure = {
  name: 'dashboard-pages',
  async measure(bench) {
    const home = makeHome(bench, 'pages', { model: (await bench.model()).url })
    const session = await fillSession(bench, home)
    const { openBrowser } = await import('../../../support/servers/open-browser.ts')
    const browser = await openBrowser()
    try {
      await using opened = await openDashboard(bench, home)
      const newPage: NewPage = async () => {
        const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
        const page = await context.newPage()
        await page.addInitScript(watchTasks)
        return { page, close: () => context.close() }
      }
      return [
        ...(await loadRows(newPage, opened.url, await slownessNow(bench))),
        await streamRow(newPage, opened.url, await slownessNow(bench)),
        await longRow(newPage, `${opened.url}#/chat/${session}`, await slownessNow(bench)),
      ]
    } finally {
      await browser.close()
    }
  },
}

/** A machine is not as fast all the time that the rows take. */
const slownessNow = async (bench: Bench): Promise<number> => slownessOf(median(await timeStarts(bench, 9)))

/** Runs in the page: keeps the longest task that kept it from drawing, and when one could type. */
const watchTasks = `
  window.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
  }).observe({ type: 'longtask' })
  new MutationObserver((_, observer) => {
    const field = document.querySelector('textarea')
    if (!field || field.disabled) return
    observer.disconnect()
    requestAnimationFrame(() => { window.usable = performance.now() })
  }).observe(document, { subtree: true, childList: true })
`

async function loadRows(newPage: NewPage, url: string, slowness: number): Promise<readonly Row[]> {
  const usable: number[] = []
  let bytes = 0
  for (let round = 0; round < loads; round++) {
    const { page, close } = await newPage()
    const client = await page.context().newCDPSession(page)
    bytes = 0
    client.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await client.send('Network.enable')
    await client.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: throttled.latency },
      ...{ downloadThroughput: throttled.bytesPerSecond, uploadThroughput: throttled.bytesPerSecond },
    })
    await client.send('Emulation.setCPUThrottlingRate', { rate: throttled.cpu })
    await page.goto(`${url}#/chat`)
    await page.getByLabel(composer).waitFor()
    usable.push(Number(await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => drawn(window.usable)))')))
    await close()
  }
  const kilobytes = bytes / 1000
  const ms = median(usable)
  return [
    {
      ...{ figure: 'dashboard-first-load', budget: '≤ 180 kB', floor: '', value: `${kilobytes.toFixed(0)} kB`, ok: kilobytes <= 180 },
      note: 'everything that comes over the line until one can chat, packed, with headers and what the doors answer',
    },
    {
      ...{ figure: 'dashboard-interactive', budget: '≤ 1000 ms', floor: '', value: `${ms.toFixed(0)} ms`, ok: ms <= 1000 * slowness },
      note: `from the address to a field that takes a message: processor at a quarter, 10 Mbit/s, 40 ms; ${(1000 * slowness).toFixed(0)} ms allowed here`,
    },
  ]
}

async function streamRow(newPage: NewPage, url: string, slowness: number): Promise<Row> {
  const { page, close } = await newPage()
  await page.goto(`${url}#/chat`)
  await page.getByLabel(composer).fill(`markdown=${tokens}`)
  await page.evaluate('window.longest = 0')
  await page.keyboard.press('Enter')
  await page.locator('[data-end=complete]').waitFor({ timeout: 120_000 })
  const longest = Number(await page.evaluate('window.longest'))
  await close()
  return taskRow('dashboard-stream', {
    longest,
    slowness,
    note: `an answer of ${tokens} tokens, a thousand a second, with lists, tables and code`,
  })
}

async function longRow(newPage: NewPage, url: string, slowness: number): Promise<Row> {
  const { page, close } = await newPage()
  await page.goto(url)
  await page.locator('.bubble').first().waitFor()
  const opening = Number(await page.evaluate('window.longest'))
  await page.mouse.move(150, 400)
  const end = page.getByText(`message ${messages}`)
  await end.waitFor()
  for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, -900)
  await end.waitFor({ state: 'detached' })
  for (let turn = 0; turn < 500 && !(await end.isVisible()); turn++) await page.mouse.wheel(0, 900)
  await end.waitFor()
  const longest = Number(await page.evaluate('window.longest'))
  const rows = await page.locator('.bubble').count()
  await close()
  return taskRow('dashboard-long-chat', {
    ...{ longest, slowness },
    note: `${messages} messages opened (${opening.toFixed(0)} ms) and scrolled through; ${rows} of them in the page`,
  })
}

function taskRow(figure: string, { longest, slowness, note }: { longest: number; slowness: number; note: string }): Row {
  return {
    ...{ figure, budget: 'no task over 50 ms', floor: '', value: longest === 0 ? 'none' : `${longest.toFixed(0)} ms` },
    ok: longest <= 50 * slowness,
    note: `${note}; ${(50 * slowness).toFixed(0)} ms allowed here`,
  }
}

/** A conversation as the store keeps it. */
async function fillSession({ root }: Bench, home: string): Promise<string> {
  const parts = readFileSync(join(root, text), 'utf8').split('\n\n')
  const store = await openStore({
    ...{ file: join(home, 'state.db'), durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) },
  })
  const id = newId('ses')
  const create = { source: 'cli', provider: 'custom', model: 'bench', system: 'You are a program under measurement.', tools: '[]' }
  const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  await store.sessions.commit({
    session: { id, create },
    messages: Array.from({ length: messages }, (_, index) => messageOf(parts, index)),
    ...{ usage, calls: messages / 2, at: systemClock.now() },
  })
  await store.close()
  return id
}

/** Of unequal height: a question, and an answer of some parts of the text. */
function messageOf(parts: readonly string[], index: number): ModelMessage {
  const said = index % 2 === 0 ? [] : Array.from({ length: 1 + (index % 7) }, (_, at) => parts[(index + at) % parts.length] ?? '')
  const part = { type: 'text', text: [`message ${index + 1}`, ...said].join('\n\n') } as const
  return index % 2 === 0 ? { role: 'user', parts: [part] } : { role: 'assistant', parts: [part] }
}
