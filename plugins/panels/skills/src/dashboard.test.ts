// @module-tag browser
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takePicture } from '../../../../test/dashboard/pictures.ts'
import { openBrowser } from '../../../../test/support/servers/open-browser.ts'
import { startDashboard } from '../../../../test/support/servers/start-dashboard.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { writePackage } from '../../../../test/support/write-tar.ts'

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
    await takePicture(page, 'panel-skills-real-wide-light')
    await page.setViewportSize({ width: 390, height: 844 })
    await takePicture(page, 'panel-skills-real-phone-light')
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

test('in the browser a skill of others is looked at, agreed to, installed and removed', { timeout: 120_000 }, async () => {
  using home = openTestHome()
  const file = join(home.work, 'tea.tgz')
  writeFileSync(file, writePackage({ 'SKILL.md': '---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n', 'run.sh': 'boil' }))
  await using browser = await openBrowser()
  const dashboard = await startDashboard(home, 0)
  try {
    const page = await browser.newPage()
    await page.goto(`${dashboard.url}#/panel/skills`)
    await page.getByText('No skill was installed from a source.').waitFor()
    await page.getByLabel(/^Source/).fill(`file:${file}`)
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByRole('link', { name: 'tea', exact: true }).click()
    await page.getByText('run.sh is a script, which the agent may run').waitFor()
    await takePicture(page, 'panel-skills-offer-wide-light')
    expect(await page.getByRole('button', { name: /^Install tea/ }).count()).toBe(0)
    await page.getByRole('button', { name: /^Install all the same/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Install all the same' }).click()
    await page.getByText('tea is installed.').waitFor()
    await page.getByRole('link', { name: 'Skills and tools' }).first().click()
    await page.getByRole('button', { name: 'Check tea' }).click()
    await page.getByText('tea is what its source has.').waitFor()
    await takePicture(page, 'panel-skills-hub-wide-light')
    await page.getByRole('link', { name: 'tea', exact: true }).nth(1).click()
    await page.getByText('Boil water.').waitFor()
    await takePicture(page, 'panel-skills-installed-wide-light')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Remove tea' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('tea is removed.').waitFor()
    expect(existsSync(join(home.home, 'skills', 'tea'))).toBe(false)
    await page.getByRole('link', { name: 'Skills and tools' }).first().click()
    await page.getByText('No skill was installed from a source.').waitFor()
  } finally {
    await dashboard.end('SIGTERM')
  }
})
