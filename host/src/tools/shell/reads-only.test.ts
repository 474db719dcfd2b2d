import { expect, test } from 'vitest'
import { readsOnly } from './reads-only.ts'

test.each([
  ...[
    'ls',
    'ls -la src | head -3',
    'cat a.txt && wc -l b.txt',
    'git status',
    'git log --oneline -3',
    'grep -rn x . 2>/dev/null',
    'pwd; date',
  ],
  ...[
    'find . -name "*.ts"',
    'cat <a.txt',
    'echo "$(cat a.txt)"',
    'ls 2>&1',
    'rg "a > b" src',
    'cd src && ls',
    'date +%F',
    'sort a.txt | uname',
  ],
])('%s only reads', (command) => {
  expect(readsOnly(command)).toBe(true)
})

test.each([
  ...['rm a', 'sed -i s/a/b/ a', 'echo x > a', 'cat a >> b', 'ls; mv a b', 'python3 -c "1"', 'X=1 git diff', '$EDITOR a', 'git checkout .'],
  ...[
    'find . -delete',
    'find . -exec rm {} +',
    'sort -o a a',
    'git diff --output=a',
    'echo $(touch a)',
    'cat a | tee b',
    '',
    'ls() { rm a; }; ls',
  ],
  ...[
    'env rm a',
    'xargs rm < a',
    'echo "unclosed',
    'cat `touch a`',
    'ls &> a',
    'xxd -r a b',
    'date -s 1',
    'cat a 1<>b',
    'bash -c ls',
    'make',
    'cat >| a',
  ],
])('%s may change files', (command) => {
  expect(readsOnly(command)).toBe(false)
})
