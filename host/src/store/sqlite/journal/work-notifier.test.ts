import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createWorkNotifier } from './work-notifier.ts'

test('all who listen hear of work, also behind one that fails, until they stop', () => {
  const heard: string[] = []
  const errors: unknown[] = []
  const notifier = createWorkNotifier({ ...silentLog, error: (_text, about) => void errors.push(about) })
  const stop = notifier.listen(() => {
    heard.push('first')
    throw new Error('no luck')
  })
  notifier.listen((work) => void heard.push(work))
  notifier.notify('inbox')
  expect(heard).toEqual(['first', 'inbox'])
  expect(errors).toEqual([{ work: 'inbox', error: 'no luck' }])
  stop()
  notifier.notify('outbox')
  expect(heard.slice(2)).toEqual(['outbox'])
})
