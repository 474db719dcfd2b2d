// @module-tag process
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import { needs } from '../../../../test/support/needs.ts'
import { systemdMissing, verifyUnit } from '../../../../test/support/systemd.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { formatUnit, homeLine, nameUnit } from './service-unit.ts'

const usual = '/home/me/.agent'
const plan = { home: homeOf(usual, 'default'), node: '/usr/bin/node', program: '/opt/agent/host/bin/agent.mjs', path: '/usr/bin:/bin' }

test('the usual home has the plain name, and every other home and profile another one', () => {
  const names = [usual, '/home/me/other', '/home/me/third'].flatMap((root) =>
    ['default', 'work', 'play'].map((profile) => nameUnit(homeOf(root, profile), usual)),
  )
  expect(names.slice(0, 3)).toEqual(['agent-gateway.service', 'agent-gateway-work.service', 'agent-gateway-play.service'])
  expect(names[4]).toMatch(/^agent-gateway-[0-9a-f]{8}-work\.service$/)
  expect(new Set(names).size).toBe(names.length)
})

test('an unusual path keeps its characters, and what has a line break is refused', () => {
  const odd = String.raw`/a "b" \c 100% $HOME`
  expect(homeLine(homeOf(odd, 'default'))).toBe(String.raw`Environment="AGENT_HOME=/a \"b\" \\c 100%% $HOME"`)
  expect(formatUnit({ ...plan, home: homeOf(odd, 'default') })).toContain(String.raw`Description=agent gateway of /a "b" \c 100%% $HOME`)
  for (const wrong of [
    { home: homeOf('/a\nExecStartPre=/bin/false', 'default') },
    { node: '/a\tb' },
    { program: '/a\u007f' },
    { path: '/a\r' },
  ])
    expect(() => formatUnit({ ...plan, ...wrong })).toThrow('cannot name a path with such characters')
  expect(formatUnit({ ...plan, path: undefined })).not.toContain('PATH=')
  expect(formatUnit(plan)).toContain('\nEnvironment=MALLOC_MMAP_THRESHOLD_=131072\n')
})

test('systemd takes the unit as it stands', needs(systemdMissing), () => {
  using home = openTestHome()
  const folder = join(home.folder, 'a folder of 100%n $HOME')
  mkdirSync(folder)
  const node = join(folder, 'node')
  symlinkSync(process.execPath, node)
  const unit = join(home.folder, 'agent-gateway.service')
  const verify = (text: string): string => {
    writeFileSync(unit, text)
    return verifyUnit(unit).complaints
  }
  const text = formatUnit({ home: homeOf(folder, 'default'), node, program: join(folder, 'agent "1".mjs'), path: `${folder}:/usr/bin` })
  expect(verify(text)).toBe('')
  process.stdout.write(`${verifyUnit(unit).banner}\n`)
  // The same check is not blind: it looks for the program, and knows every line.
  expect(verify(text.replaceAll('%%', '%'))).toContain('is not executable')
  expect(verify(text.replace('KillMode', 'KillMod'))).toContain("Unknown key 'KillMod'")
})
