import { expect, test } from 'vitest'
import { withCompressionTask } from './compression-task.ts'

const none = { summary_provider: '', summary_model: '', summary_base_url: '' }
const older = { summary_provider: 'far', summary_model: 'small', summary_base_url: 'http://127.0.0.1:1/v1' }

test.each([
  ['nothing is said', {}, none, { provider: undefined, model: '', base_url: '' }],
  [
    'the older names are used',
    { compression: { provider: 'auto' } },
    older,
    { provider: 'far', model: 'small', base_url: older.summary_base_url },
  ],
  ['main is the model of the conversation', { compression: { provider: 'main' } }, none, { provider: 'main', model: '', base_url: '' }],
  [
    'the task holds before the older names',
    { compression: { provider: 'near', model: 'large', base_url: 'http://127.0.0.1:2/v1', timeout: 9 } },
    older,
    { provider: 'near', model: 'large', base_url: 'http://127.0.0.1:2/v1', timeout: 9 },
  ],
])('where %s', (_what, tasks, settings, compression) => {
  expect(withCompressionTask({ vision: { model: 'v' }, ...tasks }, settings)).toEqual({ vision: { model: 'v' }, compression })
})
