import { expect, test } from 'vitest'
import { skipReason } from './skip-reason.ts'

const at = (folder: string) => skipReason({ folder, userHome: '/home/ann', home: '/home/ann/.agent' })

test('the root, the home of the person, what holds it, and the home of the program get no checkpoints', () => {
  expect(['/', '/home/ann', '/home', '/home/ann/.agent'].map(at)).toEqual([
    'it is the root of the disk',
    'it is your home folder',
    'your home folder is in it',
    'it is the home of agent',
  ])
  expect(['/home/ann/work', '/home/anna', '/home/ann/.agent/workspace', '/srv'].map(at)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
