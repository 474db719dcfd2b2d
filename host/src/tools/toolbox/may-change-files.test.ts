import type { ToolManifest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { mayChangeFiles } from './may-change-files.ts'

const tool = (effect: ToolManifest['effect'], guards: ToolManifest['guards'] = []) => ({ effect, guards }) as unknown as ToolManifest

test('what writes may change files, a command unless it is known to read only, and what reaches outside as well', () => {
  const command = tool('external', [{ argument: 'command', as: 'command' }])
  expect([tool('none'), tool('read'), tool('write'), tool('external')].map((each) => mayChangeFiles(each, {}))).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(['ls -l', 'rm a', ''].map((text) => mayChangeFiles(command, { command: text }))).toEqual([false, true, false])
  expect(mayChangeFiles(command, {})).toBe(false)
})
