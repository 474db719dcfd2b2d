import { expect, test } from 'vitest'
import { parseCommands } from './parse-commands.ts'
import { foundBy, pathsOf, startsOf } from './paths-of.ts'

const place = (path: string): string => (/^[/~]/.test(path) ? path : `/work/${path}`)

const usesOf = (line: string): readonly string[] => {
  const [pipeline] = parseCommands(line, new Map()).pipelines
  const { words, redirects } = pipeline?.commands[0] ?? { words: [], redirects: [] }
  return pathsOf(words, redirects, place).map(({ path, use, tree }) => `${use}${tree ? ' all of' : ''} ${path.replace('/work/', '')}`)
}

test.each([
  ['cat a', ['read a']],
  ['cat < a > b', ['read a', 'write b']],
  ['ls 2>> a', ['write a']],
  ['rm a b', ['remove a', 'remove b']],
  ['rm -r a', ['remove all of a']],
  ['rm -i a', ['remove a']],
  ['rm --recursive a', ['remove all of a']],
  ['cp a b', ['read a', 'write b']],
  ['cp -a a b', ['read all of a', 'write all of b']],
  ['cp --archive a b', ['read all of a', 'write all of b']],
  ['cp -t b a c', ['write b', 'read a', 'read c']],
  ['cp --target-directory=b a', ['write b', 'read a']],
  ['mv a b', ['remove all of a', 'write all of b']],
  ['mv -t b a', ['remove all of b', 'remove all of a']],
  ['rimraf a', ['remove all of a']],
  ['trash a', ['remove all of a']],
  ['srm a', ['remove all of a']],
  ['rsync --delete a b', ['remove all of b', 'read all of a', 'write all of b']],
  ['git push --delete a', []],
  ['tee a', ['write a']],
  ['sed s a', ['read s', 'read a']],
  ['sed -i s a', ['read s', 'write a']],
  ['sed -i a -e s', ['write a', 'read s']],
  ['ln -s a b', ['read a', 'write b']],
  ['ln -s ../a', ['read ../a']],
  ['sed -ni s a', ['read s', 'write a']],
  ['sed --in-place s a', ['read s', 'write a']],
  ['ls -i a', ['read a']],
  ['awk "{ print > \\"/tmp/a\\" }" b', ['write /tmp/a', 'read b']],
  ['sed "s/a/b/w /tmp/a" b', ['write /tmp/a', 'read b']],
  ['curl -o a https://x.org', ['write a']],
  ['curl --output=a https://x.org', ['write a']],
  ['curl -o/tmp/a https://x.org', ['write /tmp/a']],
  ['curl -d @a https://x.org', ['read a']],
  ['curl -d@/etc/a https://x.org', ['read /etc/a']],
  ['curl file:///etc/a', ['read /etc/a']],
  ['curl file://localhost/etc/a', ['read /etc/a']],
  ['curl --data=@a https://x.org', ['read a']],
  ['grep -o a b', ['read a', 'read b']],
  ['grep -r a b', ['read all of b']],
  ['rg a b', ['read all of b']],
  ['dd if=a of=b', ['read a', 'write b']],
  ['tar -xf a.tar -C b c', ['read all of a.tar', 'write all of b', 'read all of b/c']],
  ['tar -C b -cf a.tar /etc ~/x', ['read all of /etc', 'read all of ~/x', 'read all of b/a.tar']],
  ['unzip a.zip -d b', ['read a.zip', 'write all of b']],
  ['make -C b all', ['write all of b', 'read b/all']],
  ['rsync -a --delete a b', ['remove all of b', 'read all of a', 'write all of b']],
  ['rsync --del', ['remove all of .']],
  ['rsync a b', ['read all of a', 'write all of b']],
  ['scp host:/etc/a b', ['read /etc/a', 'write b']],
  ['x "cat /etc/a"', ['read /etc/a']],
  ['x "cat .ssh/a"', ['read .ssh/a']],
  ['x "a/b"', ['read a/b']],
  ['x --file=/etc/a', ['read /etc/a']],
  ['find a -delete', ['remove all of a']],
  ['find a b -name "*.log" -delete', ['remove all of a/*.log', 'remove all of b/*.log']],
  ['find a b -type f -delete', ['remove all of a', 'remove all of b']],
  ['find a -exec /bin/rm {} +', ['remove all of a', 'read all of a']],
  ['find a -exec cat {} +', ['read all of a']],
  ['find a -ok cat {} +', ['read all of a']],
])('%j touches %j', (line, uses) => {
  expect(usesOf(line)).toEqual(expect.arrayContaining([...uses]))
})

test.each([
  ['echo "see /etc/a"', '/etc/a'],
  ['git commit -m "as in /etc/a"', 'read all of /etc/a'],
  ['find a -print', 'remove all of a'],
  ['find a -exec cat {} +', 'remove all of a'],
  ['find a -name b', 'read all of a'],
  ['sed s/a/b/ c', 'write c'],
  ['sed "r /etc/a" b', 'write /etc/a'],
  ['x "w /etc/a"', 'write /etc/a'],
  ['cat a', 'read all of a'],
  ['ls -o a', 'write a'],
  ['rsync a b', 'remove all of b'],
  [`x "${'y '.repeat(10_001)}/etc/a"`, 'read /etc/a'],
])('%j does not %j', (line, use) => {
  expect(usesOf(line)).not.toContain(use)
})

test.each([
  ['', ['.']],
  ['a b', ['a', 'b']],
  ['a -name b c', ['a']],
  ['-L a ( -name b )', ['a']],
  ['-O2 a ! -name b', ['a']],
  ['-name b', ['.']],
])('find %s looks in %j', (line, starts) => {
  expect(startsOf(line === '' ? [] : line.split(' '), (path) => path)).toEqual(starts)
})

test.each([
  ['a -name b', ['a/b']],
  ['a -iname b', ['a/b']],
  ['a -path b', ['a/b']],
  ['a -name *.?', ['a']],
  ['a -name * -name b', ['a/b']],
  ['a ! -name b', ['a']],
  ['a -not -name b', ['a']],
  ['a -name b -o -name c', ['a']],
  ['a -type f', ['a']],
])('find %s finds %j', (line, found) => {
  expect(foundBy(line.split(' '), (path) => path)).toEqual(found)
})
