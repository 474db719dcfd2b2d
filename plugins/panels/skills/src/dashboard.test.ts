// @module-tag browser
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('in the browser a toolset is turned off, and a skill is found and read', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  home.write('skills/bake/SKILL.md', '---\nname: bake\ndescription: Bakes bread.\n---\nKnead it **well**.\n')
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    // The address of the page before it was a panel.
    await page.goto(`${dashboard.url}#/skills`)
    await page.getByRole('heading', { name: 'Skills and tools' }).waitFor()
    const nav = page.getByRole('navigation', { name: 'Pages' })
    expect(await nav.getByRole('link', { name: 'Skills and tools' }).getAttribute('aria-current')).toBe('page')
    await page.getByRole('link', { name: 'bake' }).waitFor()
    await takePicture(page, 'panel-skills-full-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-skills-full-phone-light')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Turn off todo' }).click()
    await page.getByRole('button', { name: 'Turn on todo' }).waitFor()
    expect(home.read('config.yaml')).toContain('toolset-todo')
    await page.getByLabel('Find').fill('bread')
    await page.getByRole('link', { name: 'bake' }).click()
    await page.locator('strong', { hasText: 'well' }).waitFor()
    await page.getByRole('link', { name: 'Skills and tools' }).first().click()
    await page.getByLabel('Find').fill('no such words')
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('link', { name: 'bake' }).waitFor()
  } finally {
    await dashboard.end('SIGTERM')
  }
})
