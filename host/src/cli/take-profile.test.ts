import { Command } from 'commander'
import { expect, test } from 'vitest'
import { takeLeadingProfile, takeProfile } from './take-profile.ts'

const open = (): Command => {
  const tree = new Command('tree').option('-z, --ask <text>').option('--maybe [text]').option('--flag')
  tree.command('list').option('--limit <n>')
  tree.command('say <words...>')
  return tree
}

test.each([
  ['-p work', 'work', ''],
  ['--profile=work list', 'work', 'list'],
  ['list -p work --limit 3', 'work', 'list --limit 3'],
  ['--limit 3 --profile work', 'work', '--limit 3'],
  ['-z -p -p work', 'work', '-z -p'],
  ['--flag --maybe -p work', 'work', '--flag --maybe'],
  ['--maybe text -p work', 'work', '--maybe text'],
  ['say use mkdir -p foo', undefined, 'say use mkdir -p foo'],
  ['say -- mkdir -p foo', undefined, 'say -- mkdir -p foo'],
  ['-- -p foo', undefined, '-- -p foo'],
  ['say -p work mkdir -p foo', 'work', 'say mkdir -p foo'],
])('%s', (line, profile, rest) => {
  const words = line.split(' ')
  expect([takeProfile(words, open), words.join(' ')]).toEqual([profile, rest])
})

test('before the name of a command it is taken without knowing the command', () => {
  const words = ['-p', 'work', 'say', '-p']
  expect([takeLeadingProfile(words), words]).toEqual(['work', ['say', '-p']])
  expect(takeLeadingProfile(['say', '-p', 'x'])).toBeUndefined()
  expect(() => takeProfile(['-p'], open)).toThrow('-p needs the name of a profile')
})
