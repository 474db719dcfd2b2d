import { expect, test } from 'vitest'

const { explainError, explainInstallFailure } = (await import(new URL('./trouble.mjs', import.meta.url).href)) as {
  explainError(error: unknown): string | undefined
  explainInstallFailure(output: string): string | undefined
}

test.each([
  ['npm error code ENOSPC\nnpm error nospc no space left on device, write', 'The disk is full'],
  ['npm error code EUSAGE\nnpm error Missing: x@1 from lock file', 'package-lock.json does not fit'],
  ['npm error code ENOTFOUND\nnpm error network request to https://registry.example failed', 'The package registry could not be reached'],
  ['npm error code EAI_AGAIN', 'The package registry could not be reached'],
  ['npm error code EACCES\nnpm error syscall mkdir', 'may not write'],
  ['npm error code EBADENGINE\nnpm error notsup Required: {"node":">=22"}', 'refuses this version of Node.js'],
])('npm failing with %j is explained in one sentence', (output, sentence) => {
  expect(explainInstallFailure(output)).toContain(sentence)
})

test('what nobody foresaw is not explained away', () => {
  expect(explainInstallFailure('npm error code E500')).toBeUndefined()
  expect(explainError(new TypeError('x is not a function'))).toBeUndefined()
})

test('a full disk met by the installer itself is named like one met by npm', () => {
  expect(explainError(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toContain('The disk is full')
})
