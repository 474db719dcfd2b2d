import { expect, test } from 'vitest'
import { onlySays } from './only-says.ts'

const says = (command: string): boolean => onlySays(command.split(' '))

test.each([
  ['rm --help', 'its help alone'],
  ['mkfs.ext4 --version', 'its version alone'],
  ['git push --help', 'help behind a subcommand'],
  ['kubectl delete pod web --help', 'help behind all words'],
  ['docker compose down -h', 'help by a letter'],
  ['npm help publish', 'help before the subcommand'],
  ['aws s3 rm help', 'help as the last word'],
  ['git push --dry-run', 'a rehearsal'],
  ['git push --force --dry-run origin main', 'a rehearsal behind an option that takes no word'],
  ['git clean -xnd', 'a rehearsal among other letters'],
  ['rsync -avn --delete src/ build/', 'a rehearsal of a program without subcommands'],
  ['kubectl delete -f k8s/ --dry-run=server', 'a rehearsal by its kind'],
  ['apt-get remove -s nginx', 'a rehearsal by a letter'],
  ['npm publish --tag=next --dry-run', 'a rehearsal behind a value'],
])('%s changes nothing: %s', (command) => {
  expect(says(command)).toBe(true)
})

test.each([
  ['rm -rf x --help', 'other programs than GNU delete it'],
  ['rm x --version', 'the same'],
  ['bash -c x --help', 'it is an argument of the text'],
  ['find . -delete --help', 'the deletion comes first'],
  ['npm run x --help', 'npm hands it on in some versions'],
  ['npm exec -- rimraf src --help', 'it belongs to the other program'],
  ['docker run alpine x --help', 'it belongs to the other program'],
  ['kubectl exec web -- x --help', 'it belongs to the other program'],
  ['uvx stranger --help', 'a stranger runs whatever it is asked'],
  ['service nginx stop --help', 'the script gets it'],
  ['launchctl unload x --help', 'the program takes it for a name'],
  ['kubectl delete ns shop --field-manager --help', 'it is the value of an option'],
  ['git push -o --dry-run', 'it is the value of an option'],
  ['git push --force origin main -- --dry-run', 'it is a name'],
  ['git push --force --dry-run --no-dry-run', 'it is taken back'],
  ['kubectl delete ns shop --dry-run=none', 'it is none'],
  ['git push -n5', 'no such letter'],
  ['git commit -n', 'the letter means something else'],
  ['git -c core.pager=x push --dry-run', 'an option stands before the subcommand'],
  ['git push origin --help', 'git reads it only right behind the subcommand'],
  ['aws s3 rm s3://logs help', 'it is another word'],
])('%s does what it says: %s', (command) => {
  expect(says(command)).toBe(false)
})
