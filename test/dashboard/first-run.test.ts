// @module-tag browser
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { type Browser, openBrowser, type Page } from '../support/servers/open-browser.ts'
import { startDashboard } from '../support/servers/start-dashboard.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

const modelOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): unknown => body.model

async function withPage(home: TestHome, work: (open: (place: string) => Promise<Page>) => Promise<void>): Promise<void> {
  const dashboard = await startDashboard(home, 0)
  const context = await browser.newContext()
  context.setDefaultTimeout(20_000)
  try {
    await work(async (place) => {
      const page = await context.newPage()
      await page.goto(`${dashboard.url}#/${place}`)
      return page
    })
  } finally {
    await context.close()
    await dashboard.end('SIGTERM')
  }
}

/** Takes another id than those that are offered. */
async function nameModel(page: Page, model: string): Promise<void> {
  const field = page.getByLabel('Model', { exact: true })
  const list = page.getByRole('combobox', { name: 'Model', exact: true })
  if ((await list.count()) > 0) await list.selectOption('Another one …')
  await field.fill(model)
}

test('a first step that is half done is filled in after a reload, and the model can be changed before the chat', {
  timeout: 120_000,
}, async () => {
  await using server = await startFakeOpenai({ models: ['m', 'n'], answers: [{ text: 'Yes.' }] })
  using home = openTestHome()
  home.write('config.yaml', 'sessions: { auto_title: false }\n')
  await withPage(home, async (open) => {
    const page = await open('start')
    const provider = page.getByLabel('Provider')
    await provider.selectOption('custom')
    const address = page.getByLabel('Address of your endpoint')
    await address.fill(server.url)
    await nameModel(page, 'nobody')
    await page.reload()
    expect(await address.inputValue()).toBe(server.url)
    expect(await provider.inputValue()).toBe('custom')
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('nobody')
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page.getByRole('alert').waitFor()
    await page.reload()
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('nobody')
    await nameModel(page, 'm')
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page.getByText('custom · m').waitFor()
    await page.getByRole('button', { name: 'Change' }).click()
    expect(await provider.inputValue()).toBe('custom')
    await page.reload()
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('m')
    await nameModel(page, 'n')
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page.getByText('custom · n').waitFor()
    await provider.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Begin to chat' }).click()
    await page.getByLabel('Message to the agent').fill('hello')
    await page.keyboard.press('Enter')
    await page.locator('[data-end=complete]').waitFor()
    expect(server.requests.map(modelOf).at(-1)).toBe('n')
  })
})

test('a model that was changed answers at once: it stands on Models, and the open chat and the side tasks use it', {
  timeout: 120_000,
}, async () => {
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await using server = await startFakeOpenai({ models: ['m', 'n'], answers: [{ text: 'Yes.' }] })
  using home = openTestHome()
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'm', base_url: server.url } }))
  await withPage(home, async (open) => {
    const chat = await open('chat')
    const say = async (text: string, count: number): Promise<void> => {
      await chat.getByLabel('Message to the agent').fill(text)
      await chat.keyboard.press('Enter')
      await expect.poll(() => chat.locator('[data-end=complete]').count(), { timeout: 20_000 }).toBe(count)
    }
    // An answer, and the title that a side task writes.
    const requests = (): readonly unknown[] => server.requests.map(modelOf)
    await say('hello', 1)
    await expect.poll(requests, { timeout: 20_000 }).toEqual(['m', 'm'])
    const page = await open('models')
    const sideTask = page.getByRole('listitem').filter({ hasText: 'Naming conversations' })
    await sideTask.getByText('custom · m').waitFor()
    await page.route('**/api/model/set*', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: /^Choose .*(?:ustom|endpoint)/ }).click()
    await nameModel(page, 'n')
    await page.getByRole('button', { name: 'Use this model' }).click()
    await page.getByText('custom · n').waitFor()
    await page.getByText('It is being tried').waitFor()
    expect(home.read('config.yaml')).not.toMatch(/default"?: "?n/)
    answer()
    await page.getByText('It is being tried').waitFor({ state: 'detached' })
    await sideTask.getByText('custom · n').waitFor()
    expect(await page.getByText('custom · m').count()).toBe(0)
    expect(home.read('config.yaml')).toMatch(/default"?: "?n/)
    const tried = requests().length
    await say('and now?', 2)
    await chat.getByRole('link', { name: 'New', exact: true }).click()
    // What is written before the new chat is there stands in the old one, and goes with it.
    await expect.poll(() => chat.locator('[data-end=complete]').count(), { timeout: 20_000 }).toBe(0)
    await say('hello again', 1)
    await expect.poll(() => requests().slice(tried), { timeout: 20_000 }).toEqual(['n', 'n', 'n'])
  })
})
