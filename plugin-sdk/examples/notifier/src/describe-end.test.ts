import { expect, test } from 'vitest'
import { describeEnd } from './describe-end.ts'

const failed = { job: 'job_1', name: 'backup', state: 'failed', text: 'the disk is full' }

test('what has failed is told, with its reason', () => {
  expect(describeEnd(failed, [])).toBe('The job **backup** has failed: the disk is full')
  expect(describeEnd({ ...failed, state: 'missed', text: '' }, [])).toBe('The job **backup** was missed.')
})

test('what went well is not told, and neither is a job that nobody named', () => {
  expect(describeEnd({ ...failed, state: 'ok' }, [])).toBeUndefined()
  expect([describeEnd(failed, ['backup']) === undefined, describeEnd(failed, ['news'])]).toEqual([false, undefined])
})
