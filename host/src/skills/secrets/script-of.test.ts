import { expect, test } from 'vitest'
import { scriptOf } from './script-of.ts'

test.each([
  ['bash /s/tea/x.sh green', '/s/tea/x.sh'],
  ['python3 /s/tea/x.py \'a b\' "c d"', '/s/tea/x.py'],
  ['  node scripts/x.mjs --fast', '/w/scripts/x.mjs'],
  ['/usr/bin/bash ./x.sh', '/w/x.sh'],
  ['./x.sh', '/w/x.sh'],
  ['/s/tea/x.sh', '/s/tea/x.sh'],
])('%s starts one file', (command, file) => {
  expect(scriptOf(command, '/w')).toBe(file)
})

test.each([
  'bash /s/tea/x.sh; env',
  'bash /s/tea/x.sh && env',
  'bash /s/tea/x.sh | tee out',
  'bash /s/tea/x.sh > out',
  'bash /s/tea/x.sh &',
  'bash /s/tea/x.sh\nenv',
  'bash /s/tea/x.sh $(env)',
  'bash /s/tea/x.sh `env`',
  'bash /s/tea/x.sh $TEA_KEY',
  'bash /s/tea/x.sh "$TEA_KEY"',
  'bash -c env /s/tea/x.sh',
  'bash --rcfile /tmp/rc /s/tea/x.sh',
  'node -r /tmp/spy.js /s/tea/x.mjs',
  'BASH_ENV=/tmp/spy bash /s/tea/x.sh',
  'PATH=/tmp:/bin /s/tea/x.sh',
  'env /s/tea/x.sh',
  'sudo bash /s/tea/x.sh',
  '(bash /s/tea/x.sh)',
  'bash',
  'x.sh',
  '',
])('%j is not the start of a script alone', (command) => {
  expect(scriptOf(command, '/w')).toBeUndefined()
})
