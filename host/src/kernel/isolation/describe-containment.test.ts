import { expect, test } from 'vitest'
import type { SandboxLevel } from '../sandbox/sandbox-level.ts'
import { describeContainment } from './describe-containment.ts'

const works: SandboxLevel = { works: true, kind: 'bwrap', program: '/usr/bin/bwrap', flags: [] }
const missing: SandboxLevel = { works: false, reason: 'bwrap is not installed', fix: 'install the package bubblewrap of this system' }

test.each<[SandboxLevel, 'auto' | 'required' | 'off' | undefined, RegExp]>([
  [works, undefined, /^Plugins of others run in a sandbox: /],
  [works, 'off', /^Plugins of others run without a sandbox, because their sandbox is switched off: any of them can call every address/],
  [missing, 'auto', /^Plugins of others run without a sandbox \(bwrap is not installed\): .* To get one, install the package bubblewrap/],
  [
    missing,
    'required',
    /^Plugins of others do not run, because plugins.sandbox is required: bwrap is not installed. To get a sandbox, install/,
  ],
  [{ ...works, kind: 'sandbox-exec' }, 'auto', /no sandbox for plugins on this system/],
])('%j with plugins.sandbox %s', (level, sandbox, sentence) => {
  expect(describeContainment(level, { sandbox })).toMatch(sentence)
})
