// @module-tag browser
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../repo/source-files.ts'
import { proves } from '../spec/proves.ts'
import { findFreePort } from '../support/free-port.ts'
import { runAgent } from '../support/run-agent.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { findSimplePlatform } from './simple-platform.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message to the agent').fill(text)
  await page.keyboard.press('Enter')
}

const walk = 'the real dashboard answers, runs tools, writes a platform down, shows what was said and has a page for each thing'
proves('purpose.dashboard', walk, answersAndShows, 120_000)

async function answersAndShows(): Promise<void> {
  using home = openTestHome()
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  const simple = findSimplePlatform()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  try {
    await page.goto(dashboard.url)
    await page.getByRole('button', { name: 'Look around with the offline model' }).click()
    await say(page, 'write note.txt: hello')
    await page.locator('[data-end=complete]').waitFor()
    expect(readFileSync(join(home.home, 'workspace', 'note.txt'), 'utf8')).toBe('hello')
    await page.reload()
    await page.locator('[data-end=complete]').waitFor()
    expect(await page.locator('.bubble').count()).toBe(2)

    await page.goto(`${dashboard.url}#/platforms`)
    await page.getByRole('link', { name: simple.name, exact: true }).click()
    await page.getByLabel(`${simple.prompt} (needed)`).fill('a-value-of-mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${simple.variable} is written`).waitFor()
    expect(readFileSync(join(home.home, '.env'), 'utf8')).toContain(`${simple.variable}=a-value-of-mine`)

    await page.goto(`${dashboard.url}#/sessions`)
    await page.getByText('write note.txt: hello').first().waitFor()
    const settings = ['config', 'environment', 'platforms', 'models', 'profiles', 'panel/mcp', 'panel/skills', 'panel/jobs']
    for (const place of [...settings, 'people', 'plugins', 'status', 'usage']) {
      await page.goto(`${dashboard.url}#/${place}`)
      await page.locator('h1').first().waitFor()
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 15_000 }).toBe(0)
      expect(await page.locator('[role=alert]').allInnerTexts(), place).toEqual([])
    }
    await page.goto(`${dashboard.url}#/terminal`)
    await page.locator('.xterm-rows').waitFor()
    expect(faults).toEqual([])
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
}

proves(
  'config.display.theme-mode.shown',
  'the theme of the settings is shown, until this browser is told another one',
  async () => {
    using home = openTestHome()
    const ground = async (theme: string): Promise<readonly string[]> => {
      home.write('config.yaml', `model: { provider: offline, default: offline }\ndisplay: { theme_mode: ${theme} }\n`)
      const dashboard = await startDashboard(home, 0)
      const context = await browser.newContext({ colorScheme: theme === 'dark' ? 'light' : 'dark' })
      try {
        const page = await context.newPage()
        const look = () => page.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>
        await page.goto(`${dashboard.url}#/usage`)
        await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme)
        const shown = await look()
        await page.getByLabel('Theme').selectOption(theme === 'dark' ? 'light' : 'dark')
        await expect.poll(look).not.toBe(shown)
        return [shown, await look()]
      } finally {
        await context.close()
        await dashboard.end('SIGTERM')
      }
    }
    const [dark, light] = await ground('dark')
    expect(await ground('light')).toEqual([light, dark])
    expect(dark).not.toBe(light)
  },
  120_000,
)

test.each([
  { which: 'a token for both', token: 'one-token-for-both-dashboards' },
  { which: 'a token for each process', token: undefined },
])('a dashboard with $which that was killed and started again goes on with the open page', { timeout: 120_000 }, async ({ token }) => {
  using home = openTestHome()
  const port = await findFreePort()
  const first = await startDashboard(home, port, token)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${first.url}#/chat`)
    await say(page, 'hello')
    await page.locator('[data-end=complete]').waitFor()
    const place = page.url()
    await page.getByLabel('Message to the agent').fill('he')
    await first.end('SIGKILL')
    await page.getByText('connection lost').waitFor()
    const second = await startDashboard(home, port, token)
    try {
      await page.getByText('connection lost').waitFor({ state: 'detached' })
      expect([page.url(), await page.getByLabel('Message to the agent').inputValue()]).toEqual([place, 'he'])
      await say(page, 'help')
      await expect.poll(() => page.locator('[data-end=complete]').count(), { timeout: 15_000 }).toBe(2)
      expect(await page.locator('.bubble').count()).toBe(4)
    } finally {
      await second.end('SIGTERM')
    }
  } finally {
    await context.close()
  }
})

test('a dashboard that was killed in the middle of an answer shows the same words once it runs again', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  const port = await findFreePort()
  const token = 'one-token-for-both-dashboards'
  const first = await startDashboard(home, port, token)
  const context = await browser.newContext()
  const page = await context.newPage()
  const answer = page.locator('[data-end]')
  const wordsIn = async () => (await answer.innerText()).match(/offline-\d+/g) ?? []
  try {
    await page.goto(`${first.url}#/chat`)
    await say(page, 'stream 400 tokens every 20 ms')
    await expect.poll(wordsIn, { timeout: 15_000, interval: 20 }).toContain('offline-20')
    await first.end('SIGKILL')
    await page.getByText('connection lost').waitFor()
    const seen = await wordsIn()
    const second = await startDashboard(home, port, token)
    try {
      await page.locator('[data-end=interrupted]').waitFor()
      const words = await wordsIn()
      expect(words.slice(0, seen.length)).toEqual(seen)
      expect(words).toEqual(words.map((_, index) => `offline-${index + 1}`))
      await page.reload()
      await page.locator('[data-end=interrupted]').waitFor()
      expect(await wordsIn()).toEqual(words)
      await say(page, 'stream 2 tokens')
      await page.locator('[data-end=complete]').waitFor()
      expect(await page.locator('.bubble').count()).toBe(4)
    } finally {
      await second.end('SIGTERM')
    }
  } finally {
    await context.close()
  }
})

test('child agents stand in the chat that they work for, and one of them is stopped there', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/chat`)
    const tasks = ['stream 100000 tokens every 20 ms', 'count the boats'].map((goal) => ({ goal }))
    await say(page, `call delegate_task ${JSON.stringify({ tasks })}`)
    const rows = page.locator('.child')
    const [long, short] = [rows.filter({ hasText: 'stream' }), rows.filter({ hasText: 'boats' })]
    await short.getByText('done').waitFor()
    expect(await page.getByRole('button', { name: 'Stop the child agent: count' }).count()).toBe(0)
    await page.evaluate(axe)
    const serious =
      'axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id))'
    expect(await page.evaluate(serious)).toEqual([])
    await long.getByRole('button', { name: 'Stop the child agent: stream' }).click()
    await long.getByText('failed').waitFor()
    await page.locator('[data-end=complete]').waitFor()
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})

/** Installs what somebody else has published, and agrees to what it declares. */
async function installPanel(home: TestHome): Promise<void> {
  const spec = `file:${join(root, 'plugin-sdk', 'golden', 'panel-sample-api-1.tgz')}`
  const { out } = await runAgent(home, ['plugins', 'install', spec, '--json'])
  const { consent } = JSON.parse(out) as { readonly consent: { readonly hash: string } }
  expect(await runAgent(home, ['plugins', 'install', spec, '--accept', consent.hash])).toMatchObject({ code: 0 })
  expect(await runAgent(home, ['plugins', 'enable', 'panel-sample'])).toMatchObject({ code: 0 })
}

test('a panel of somebody else is in the navigation once it is installed, and works', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  await installPanel(home)
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    await page.goto(`${dashboard.url}#/status`)
    await page.getByRole('link', { name: 'Shopping list' }).first().click()
    await page.getByText('The list is empty.').waitFor()
    await page.getByLabel('Thing (needed)').fill('<b>milk</b>')
    await page.getByRole('button', { name: 'Put it on the list' }).click()
    await page.getByRole('cell', { name: '<b>milk</b>', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Bought <b>milk</b>' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bought' }).click()
    await page.getByText('The list is empty.').waitFor()
    await page.getByLabel('Thing (needed)').fill('x'.repeat(201))
    await page.getByRole('button', { name: 'Put it on the list' }).click()
    await page.getByRole('alert').getByText('thing').waitFor()
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})

test('the terminal of the browser is the chat of the terminal, and runs what is typed', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: offline, default: offline }\n')
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  try {
    await page.goto(`${dashboard.url}#/terminal`)
    const screen = page.locator('.xterm-rows')
    await expect.poll(() => screen.innerText(), { timeout: 20_000 }).toMatch(/offline/)
    await page.evaluate(axe)
    expect(
      await page.evaluate(
        'axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id))',
      ),
    ).toEqual([])
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type('write note.txt: from a terminal')
    await page.keyboard.press('Enter')
    await expect.poll(() => screen.innerText(), { timeout: 20_000 }).toMatch(/Wrote/)
    await page.keyboard.type('/exit')
    await page.keyboard.press('Enter')
    await page.getByText('It has ended with code 0.').waitFor()
    await page.getByRole('button', { name: 'Open it again' }).click()
    await expect.poll(() => screen.innerText(), { timeout: 20_000 }).toMatch(/offline/)
    expect(faults).toEqual([])
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
})
