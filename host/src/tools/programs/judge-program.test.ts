import { expect, test } from 'vitest'
import { inspectCommand } from '../shell/inspect-command.ts'
import { judgeProgram } from './judge-program.ts'

const place = { workspace: '/home/ann/work', folder: '/home/ann/work', userHome: '/home/ann', home: '/home/ann/.agent' }

const asks = (command: string): readonly string[] =>
  inspectCommand(command, place).runs.flatMap((run) => {
    const unknown = judgeProgram(run)
    return unknown === undefined ? [] : [unknown.name]
  })

test.each([
  ['frobnicate --all', ['program: frobnicate']],
  ['ls && frobnicate', ['program: frobnicate']],
  ['sudo frobnicate', ['program: frobnicate']],
  ['if true; then A=1 frobnicate; fi', ['program: frobnicate']],
  ['git frobnicate', ['program: git frobnicate']],
  ['docker network', []],
  ['docker work', ['program: docker work']],
  ['fuser -mk /srv', ['program: fuser -mk']],
  ['fuser -mv /srv', []],
  ['git -C x frobnicate', ['program: git frobnicate']],
  ['gh auth login', ['program: gh auth login']],
  ['aws s3api delete-object --bucket x', ['program: aws s3api delete-object']],
  ['gpg --symmetric a', ['program: gpg --symmetric']],
  ['npx some-stranger', ['program: some-stranger']],
  ['npx some-stranger --help', ['program: some-stranger']],
  ['pnpm dlx some-stranger --version', ['program: some-stranger']],
  ['npx @stranger/tool', ['program: tool']],
  ['npx stranger/tool', ['program: tool']],
  ['/tmp/tool', ['program: /tmp/tool']],
  ['python3 /tmp/a.py', ['program: /tmp/a.py']],
  ['. /tmp/env.sh', ['program: /tmp/env.sh']],
  ['git frobnicate x', ['program: git frobnicate']],
  ['docker compose frobnicate x', ['program: docker compose frobnicate']],
  ['frobnicate --version x', ['program: frobnicate']],
  ['frobnicate -vv', ['program: frobnicate']],
  ['npm install -g some-stranger', ['program: npm --global some-stranger']],
  ['yarn global add some-stranger', ['program: yarn --global some-stranger']],
  ['pnpm add --location=global typescript some-stranger', ['program: pnpm --global some-stranger']],
  ['npm create some-stranger', ['program: npm create some-stranger']],
  ["mongo --eval 'db.users.deleteMany({})'", ['program: mongo deleteMany']],
  ["mongosh --eval 'db.users.deleteMany({})'", ['program: mongosh deleteMany']],
  ['redis-cli flushall', ['program: redis-cli flushall']],
  ["psql -c 'grant all on a to b'", ['program: psql grant all']],
  ["psql <<< 'grant all on a to b'", ['program: psql grant all']],
  ['"$@"', []],
  ['"$list"', ['program: $list']],
])('%s is a question', (command, names) => {
  expect(asks(command)).toEqual(names)
})

test.each([
  'git status',
  'frobnicate -V && frobnicate -h && frobnicate version && frobnicate help && frobnicate -version',
  'npm install some-stranger',
  'npm install -g typescript npm@latest @angular/cli',
  'yarn global list',
  'npm create vite && npm create @angular/app && npm init -y',
  'npm --prefix /tmp/x run build && make -C /tmp/x',
  'git -C ../other log',
  'npm run anything',
  'yarn anything',
  'aws s3api list-objects --bucket x',
  'gpg --verify a.sig',
  'npx rimraf --version && frobnicate --help && npm publish --dry-run',
  'npx tsc && npx @angular/cli build && npx create-vite',
  './scripts/own-tool --fast && bin/console',
  'python3.12 scripts/a.py',
  '/usr/bin/grep a b',
  'source ~/.nvm/nvm.sh',
  'greet() { echo "$1"; }; greet ann',
  "alias ll='ls -l'; ll",
  'list=(a b c); echo "$list"',
  'while IFS=, read -r a b; do echo "$a"; done < a.csv',
  'echo "a b" | awk \'{print "hello world"}\'',
  'tmux new -s "my work"',
  "mongo --eval 'db.users.find({})' && redis-cli get a && psql -c 'select 1'",
])('%s is none', (command) => {
  expect(asks(command)).toEqual([])
})
