// @module-tag browser
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPairing } from '../../host/src/gateway/pairing/pairing.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { silentLog } from '../../host/src/observe/silent-log.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { type RunningDashboard, startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { takePicture } from './pictures.ts'
import { findSimplePlatform } from './simple-platform.ts'

/** Without the line that the first change writes above it. */
const readConfig = () => home.read('config.yaml').replace(/^_config_version: \d+\n/, '')
const config = '# what answers\nmodel: { provider: offline, default: offline }\napprovals:\n  timeout: 200 # seconds\n'
const lifetime = { timeout: 60_000 }

let browser: Browser
let home: TestHome
let dashboard: RunningDashboard
let page: Page
const faults: string[] = []

beforeAll(async () => {
  home = openTestHome()
  home.write('config.yaml', config)
  home.write('.env', '# mine\nOPENAI_API_KEY=sk-of-mine-1234567890\n')
  browser = await openBrowser()
  dashboard = await startDashboard(home, 0)
  const context = await browser.newContext({ acceptDownloads: true })
  context.setDefaultTimeout(20_000)
  page = await context.newPage()
  page.on('pageerror', (error) => faults.push(error.message))
})
afterAll(async () => {
  await browser?.close()
  await dashboard?.end('SIGTERM')
  home?.[Symbol.dispose]()
})

const open = (place: string) => page.goto(`${dashboard.url}#/${place}`)
const rowOf = (text: string) => page.getByRole('listitem').filter({ hasText: text })

/** A state that a page has only after something was done there, on both screens. */
async function picture(name: string): Promise<void> {
  await takePicture(page, `${name}-wide-light`)
  await page.setViewportSize({ width: 390, height: 844 })
  await takePicture(page, `${name}-phone-light`)
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** Says it in a new conversation, and waits until the agent asks. */
async function ask(text: string): Promise<void> {
  await open('chat')
  await page.getByLabel('Message to the agent').fill(text)
  await page.keyboard.press('Enter')
}

test('a key is put, shown, replaced and removed, and what else stands in its file stays', lifetime, async () => {
  await open('environment')
  await rowOf('OPENAI_API_KEY').waitFor()
  expect(await page.locator('main').innerText()).not.toContain('sk-of-mine')
  await page.getByLabel('Also those that are not set').check()
  await page.getByLabel('Find a variable').fill('anthropic_api_key')
  await page.getByRole('button', { name: 'Change ANTHROPIC_API_KEY' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Value').fill('sk-ant-first-1234567890')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await rowOf('ANTHROPIC_API_KEY').getByText('not set').waitFor({ state: 'detached' })
  expect(home.read('.env')).toBe('# mine\nOPENAI_API_KEY=sk-of-mine-1234567890\nANTHROPIC_API_KEY=sk-ant-first-1234567890\n')

  await page.getByRole('button', { name: 'Change ANTHROPIC_API_KEY' }).click()
  expect(await dialog.innerText()).not.toContain('sk-ant-first')
  await dialog.getByRole('button', { name: 'Show' }).click()
  await dialog.getByText('sk-ant-first-1234567890').waitFor()
  await picture('environment-shown')
  const audit = home.read('logs/dashboard-auth.log')
  expect([audit.includes('ANTHROPIC_API_KEY'), audit.includes('sk-ant-first')]).toEqual([true, false])
  await dialog.getByLabel('New value').fill('sk-ant-other-1234567890')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => home.read('.env')).toContain('ANTHROPIC_API_KEY=sk-ant-other-1234567890')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Change ANTHROPIC_API_KEY' }).click()
  await dialog.getByRole('button', { name: 'Remove ANTHROPIC_API_KEY' }).click()
  await rowOf('ANTHROPIC_API_KEY').getByText('not set').waitFor()
  expect(home.read('.env')).toBe('# mine\nOPENAI_API_KEY=sk-of-mine-1234567890\n')
})

test('a setting is changed by the form, and the comments of the file stay', lifetime, async () => {
  await open('config')
  await page.getByLabel('Find a setting').fill('approvals.timeout')
  const field = page.getByRole('textbox', { name: 'Timeout' })
  expect(await field.inputValue()).toBe('200')
  await field.fill('none')
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  await page.getByRole('alert').waitFor()
  await picture('config-wrong-value')
  expect(readConfig()).toBe(config)
  await field.fill('240')
  await page.getByRole('button', { name: 'Save 1 change' }).click()
  await expect.poll(readConfig).toBe(config.replace('200', '240'))
})

test('the text of the settings names the line of a mistake, and is written once it is mended', lifetime, async () => {
  const before = home.read('config.yaml')
  await open('config')
  await page.getByRole('button', { name: 'Edit the text' }).click()
  const text = page.getByLabel('config.yaml')
  await expect.poll(() => text.inputValue()).toBe(before)
  await text.fill(`${before}display:\n  theme_mode: purple # a joke\n`)
  await page.getByRole('button', { name: 'Save' }).click()
  const mark = rowOf('display.theme_mode')
  await mark.getByText(`line ${before.split('\n').length + 1}`).waitFor()
  await page.getByRole('alert').getByText('Nothing was written').waitFor()
  await picture('config-wrong-text')
  expect(home.read('config.yaml')).toBe(before)
  const mended = `${before}display:\n  theme_mode: dark # no joke\n`
  await text.fill(mended)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('config.yaml is written.').waitFor()
  expect(home.read('config.yaml')).toBe(mended)
  await mark.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
})

test('of those who ask one is let in by the code and taken out again, and another is refused', lifetime, async () => {
  const { id: platform } = findSimplePlatform()
  const folder = join(home.home, 'platforms', 'pairing')
  const gateway = openPairing({ folder, exclusive: async (change) => change(), clock: systemClock, randomBytes, log: silentLog })
  const offer = async (user: string) =>
    (await gateway.offer(platform, { account: 'bot', user, name: user, message: user, conversation: `dm-${user}` })) ?? ''
  const code = await offer('Ada')
  await offer('Mallory')
  await open('people')
  await rowOf('Ada').getByLabel('Code').fill('WRONG')
  await rowOf('Ada').getByRole('button', { name: 'Let in' }).click()
  await rowOf('Ada').getByRole('alert').waitFor()
  await picture('people-wrong-code')
  await rowOf('Ada').getByLabel('Code').fill(code.toLowerCase())
  await rowOf('Ada').getByRole('button', { name: 'Let in' }).click()
  await page.getByText('No gateway runs: they are told so when it starts.').waitFor()
  await page.getByRole('button', { name: 'Take out Ada' }).waitFor()
  expect(gateway.isApproved(platform, { account: 'bot', user: 'Ada' })).toBe(true)

  await page.getByRole('button', { name: 'Refuse Mallory' }).click()
  await page.getByText('The code of Mallory is worthless now.').waitFor()
  await page.getByText('Nobody asks').waitFor()
  expect(gateway.waiting(platform)).toEqual([])

  await page.getByRole('button', { name: 'Take out Ada' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take out Ada' }).click()
  await page.getByText('Nobody is let in by pairing').waitFor()
  expect(gateway.isApproved(platform, { account: 'bot', user: 'Ada' })).toBe(false)
})

test('what the agent asks about is done once it is allowed, and is not done where it is refused', lifetime, async () => {
  const file = home.write('workspace/.git/HEAD', 'gold')
  const remove = 'call terminal {"command": "rm -rf .git"}'
  await ask(remove)
  await page.getByText('May terminal do this?').waitFor()
  await page.getByText(/^It deletes folders with all that is in them\. It runs /).waitFor()
  expect(existsSync(file)).toBe(true)
  await picture('chat-question')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.locator('[data-end=complete]').waitFor()
  expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(0)
  expect(existsSync(file)).toBe(true)
  await ask(remove)
  await page.getByRole('button', { name: 'Allow once' }).click()
  await page.locator('[data-end=complete]').waitFor()
  expect(existsSync(file)).toBe(false)
  home.write('workspace/.git/HEAD', 'gold')
  await page.getByLabel('Message to the agent').fill(remove)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect.poll(() => page.locator('[data-end=complete]').count()).toBe(2)
  expect(existsSync(file)).toBe(true)
})

test('a conversation is renamed, saved to a file, opened in the chat, found by what was said and deleted', lifetime, async () => {
  await ask('stream 3 tokens')
  await page.locator('[data-end=complete]').waitFor()
  await open('sessions')
  await page.getByRole('button', { name: 'Rename stream 3 tokens' }).click()
  await page.getByRole('dialog').getByLabel('Title').fill('Three words')
  await picture('sessions-rename')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('link', { name: 'Three words' }).waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export Three words' }).click()
  const text = readFileSync((await (await saved).path()) ?? '', 'utf8')
  expect(text).toContain('offline-3')
  await page.getByRole('link', { name: 'Three words' }).click()
  await page.getByRole('heading', { name: 'Three words' }).waitFor()
  await page.locator('[data-end=complete]').waitFor()
  expect(await page.locator('.bubble').count()).toBe(2)

  await open('sessions')
  await page.getByLabel('Search in what was said').fill('offline-3')
  await rowOf('Three words').waitFor()
  await page.getByRole('button', { name: 'Delete Three words' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete "Three words"' }).click()
  await page.getByText('Nobody said this').waitFor()
  expect(faults).toEqual([])
})
