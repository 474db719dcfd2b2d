import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Manifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { because, type Reason } from '#kernel/reasons.ts'
import { talkSpec } from '../testing/talk.ts'
import { findForm, listForms } from './platform-form.ts'
import { savePlatform } from './save-platform.ts'

const variable = (name: string, required = false) => ({ name, required, secret: false, prompt: name })
const env = ['TALK_HOST', 'TALK_ALLOWED_USERS', 'TALK_ROOM']

function listed(
  id: string,
  { reason, source = 'bundled', label = id }: { reason?: Reason; source?: Listed['source']; label?: string } = {},
): Listed {
  const spec = talkSpec({ id, label, env: [...env, 'TALK_TOKEN'] })
  const manifest = {
    contributes: { platforms: [spec, talkSpec({ id: `${id}-door`, door: 'request' })] },
    env: [...env.map((name) => variable(name)), variable('TALK_TOKEN', true), variable('OTHER', true)],
  }
  const contributions = [{ kind: 'platform', id, state: 'ready', reason }] as const
  return { id: `platform-${id}`, source, contributions, installed: { manifest: manifest as unknown as Manifest } } as unknown as Listed
}
const environment = { platform: (id: string) => (id === 'talk' ? { home: 'TALK_ROOM' } : undefined) }
const formsOf = (...plugins: readonly Listed[]) => listForms({ plugins }, environment)

test('a form asks for what connects, required first; who may write and where to report come later', () => {
  const [form] = formsOf(listed('talk'))
  expect(form?.fields.map(({ name }) => name)).toEqual(['TALK_TOKEN', 'TALK_HOST'])
  expect(form?.access).toEqual({ allowed: 'TALK_ALLOWED_USERS', everybody: 'TALK_ALLOW_ALL_USERS', home: 'TALK_ROOM' })
  expect(form).toMatchObject({ id: 'talk', plugin: 'platform-talk', pluginOff: false })
})

test('what a manifest says of documents and people stands in the form, and why the platform does not run', () => {
  const plugin = listed('talk', { reason: because('env-missing', { names: 'TALK_TOKEN', file: '.env' }) })
  const [row] = plugin.contributions
  const form = { placeholder: '@ann' }
  const manifest = {
    ...plugin.installed?.manifest,
    docsUrl: 'https://talk.example',
    env: [variable('OTHER'), { ...variable('TALK_ALLOWED_USERS'), form }],
  }
  const other = { ...row, id: 'other', reason: undefined }
  const more = { ...plugin, contributions: [other, row], installed: { manifest } } as unknown as Listed
  expect(formsOf(more)[0]).toMatchObject({ docsUrl: 'https://talk.example', person: form, reason: { code: 'env-missing' } })
  const [plain] = formsOf(listed('talk'))
  expect(plain && Object.keys(plain)).not.toEqual(expect.arrayContaining(['docsUrl']))
  expect(plain && Object.keys(plain)).not.toEqual(expect.arrayContaining(['reason']))
  expect([plain?.person, plain?.pluginOff]).toEqual([undefined, false])
})

test('of two plugins with one platform the first counts, and what could not be read has no form', () => {
  const broken = { ...listed('broken'), installed: undefined } as unknown as Listed
  const linked = { ...listed('talk', { label: 'Linked' }), id: 'linked' } as Listed
  expect(formsOf(broken, linked, listed('talk')).map(({ plugin, label }) => [plugin, label])).toEqual([['linked', 'Linked']])
  expect(() => findForm(formsOf(listed('talk')), 'something else')).toThrow(
    expect.objectContaining({ params: { platform: 'something else' } }),
  )
})

test('platforms that people write on are found by id and by label, in the order of labels', () => {
  const forms = formsOf(listed('talk', { label: 'Zebra' }), listed('some-chat', { label: 'Ape' }))
  expect(forms.map(({ id }) => id)).toEqual(['some-chat', 'talk'])
  expect([findForm(forms, 'Some_Chat').id, findForm(forms, ' zebra ').id]).toEqual(['some-chat', 'talk'])
  expect(() => findForm(forms, 'tlak')).toThrow('Did you mean "talk"?')
})

test('a plugin that is off as a whole is switched on with its platform, and what is there stays', () => {
  const off = because('not-enabled', { plugin: 'platform-talk' })
  const disabled = (key: string) => because('disabled', { key, plugin: 'platform-talk' })
  const isOff = (reason: Reason, source: Listed['source']) => formsOf(listed('talk', { reason, source }))[0]?.pluginOff
  expect([isOff(off, 'bundled'), isOff(off, 'local')]).toEqual([false, true])
  expect([isOff(disabled('platforms.talk.enabled'), 'local'), isOff(disabled('plugins.entries.platform-talk.enabled'), 'bundled')]).toEqual(
    [false, true],
  )
  const folder = mkdtempSync(join(tmpdir(), 'agent-form-'))
  try {
    const home = homeOf(folder, 'default')
    writeFileSync(home.files.env, '# mine\nTALK_HOST=old\nTALK_ALLOWED_USERS=ann\n')
    const form = findForm(formsOf(listed('talk', { reason: off, source: 'local' })), 'talk')
    const values = { TALK_TOKEN: 'new', TALK_HOST: 'old', TALK_ALLOWED_USERS: undefined }
    const target = { home, processEnvironment: { TALK_TOKEN: 'other' } }
    const saved = savePlatform(target, form, { values, settings: { unauthorized_dm_behavior: 'pair' } })
    expect(saved).toEqual({ written: ['TALK_TOKEN', 'TALK_ALLOWED_USERS'], shadowed: ['TALK_TOKEN'] })
    expect(readFileSync(home.files.env, 'utf8')).toBe('# mine\nTALK_HOST=old\nTALK_TOKEN=new\n')
    const config = readFileSync(home.files.config, 'utf8')
    expect(config).toMatch(/platform-talk:\n {6}enabled: true/)
    expect(config).toMatch(/ talk:\n {4}unauthorized_dm_behavior: pair\n {4}enabled: true/)
    // A plugin that is on already is left as it is, and what the process says too is no other value.
    const bundled = findForm(formsOf(listed('talk')), 'talk')
    const fresh = {
      home: homeOf(mkdtempSync(join(folder, 'fresh-')), 'default'),
      processEnvironment: { TALK_TOKEN: 'same', TALK_HOST: '' },
    }
    expect(savePlatform(fresh, bundled, { values: { TALK_TOKEN: 'same', TALK_HOST: 'h', TALK_ROOM: 'r' } }).shadowed).toEqual([])
    expect(readFileSync(fresh.home.files.config, 'utf8')).not.toContain('platform-talk')
    expect(() => savePlatform(target, form, { values: { TALK_HOST: 'x' }, settings: { unauthorized_dm_behavior: 'nonsense' } })).toThrow()
    expect(readFileSync(home.files.env, 'utf8')).toContain('TALK_HOST=old')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
