// @module-tag server
import { expect, test } from 'vitest'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { PluginRow, ToolsetList } from '../api.ts'

const findRow = async (dashboard: TestDashboard, id: string, query = ''): Promise<PluginRow | undefined> => {
  const { plugins } = (await dashboard.ask('GET', `/api/plugins${query}`)).body as unknown as { readonly plugins: readonly PluginRow[] }
  return plugins.find((one) => one.id === id)
}

test('a plugin is listed, explained and switched in the profile that is meant', async () => {
  await using dashboard = await openTestDashboard()
  await dashboard.ask('POST', '/api/profiles', { body: { name: 'work' } })
  expect(await findRow(dashboard, 'provider-openai')).toMatchObject({
    ...{ bundled: true, enabled: true, name: 'OpenAI' },
    contributes: [{ kind: 'provider', id: 'openai', name: 'openai' }],
  })
  const off = await dashboard.ask('PUT', '/api/plugins/provider-openai/enabled', { body: { enabled: false, profile: 'work' } })
  expect(off.body).toMatchObject({ live: false, said: [expect.stringMatching(/^provider-openai is off \(plugins\.entries/)] })
  expect(await findRow(dashboard, 'provider-openai', '?profile=work')).toMatchObject({ enabled: false, state: 'blocked' })
  expect(await findRow(dashboard, 'provider-openai')).toMatchObject({ enabled: true })
  const why = await dashboard.ask('GET', '/api/plugins/provider-openai/why?profile=work')
  expect(why.body.lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^found in .* \(bundled\)$/),
      expect.stringMatching(/^provider:openai: blocked \(disabled\)/),
      'To change that: agent plugins enable provider-openai',
    ]),
  )
  await dashboard.ask('PUT', '/api/plugins/provider-openai/enabled', { body: { enabled: true, profile: 'work' } })
  expect(await findRow(dashboard, 'provider-openai', '?profile=work')).toMatchObject({ enabled: true })
})

test('what is not there is not found, and what does not fit is refused', async () => {
  await using dashboard = await openTestDashboard()
  const statuses = [
    await dashboard.ask('GET', '/api/plugins?profile=nobody'),
    await dashboard.ask('GET', '/api/plugins/nothing-like-it/why'),
    await dashboard.ask('PUT', '/api/plugins/nothing-like-it/enabled', { body: { enabled: true } }),
    await dashboard.ask('PUT', '/api/tools/toolsets', { body: { id: 'nothing-like-it', enabled: true } }),
    await dashboard.ask('PUT', '/api/plugins/provider-openai/enabled', { body: { enabled: 'yes' } }),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400])
})

test('skills and toolsets are listed, and a toolset is switched', async () => {
  await using dashboard = await openTestDashboard({
    prepare: (home) => void home.write('skills/bake/SKILL.md', '---\nname: bake\ndescription: Bakes bread.\n---\nKnead.\n'),
  })
  const { body } = await dashboard.ask('GET', '/api/skills')
  expect(body.skills).toContainEqual({ name: 'bake', description: 'Bakes bread.', from: 'home', offered: true })
  const list = async () => ((await dashboard.ask('GET', '/api/tools/toolsets')).body as unknown as ToolsetList).toolsets
  const [first] = (await list()).filter(({ enabled, problem }) => enabled && problem === undefined)
  expect(first?.tools.length).toBeGreaterThan(0)
  // Its tools are known only while it runs, which is no reason to call it useless.
  expect((await list()).find(({ tools }) => tools.length === 0)).not.toHaveProperty('problem')
  const id = first?.id ?? ''
  const off = await dashboard.ask('PUT', '/api/tools/toolsets', { body: { id, enabled: false } })
  expect([off.status, (await list()).find((one) => one.id === id)?.enabled]).toEqual([200, false])
})
