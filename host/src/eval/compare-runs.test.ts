import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareRuns, keepRun, lastRunFile, readLastRun } from './compare-runs.ts'
import { formatJunit } from './format-junit.ts'
import type { TriedConversation } from './tried-conversation.ts'

const outcome = (name: string, more: Partial<TriedConversation> = {}): TriedConversation => ({
  ...{ file: 'a/eval.yaml', name, status: 'passed', problems: [], seconds: 2, tokens: 1000, calls: 1, model: 'offline/offline' },
  ...more,
})

test('what changed since the last run is told, and what was not run then or now is no change', () => {
  const cache = mkdtempSync(join(tmpdir(), 'compare-runs-'))
  try {
    const file = lastRunFile(cache, '/skills', 'offline/offline')
    expect(lastRunFile(cache, '/skills', 'other/model')).not.toBe(file)
    const changed = (...now: TriedConversation[]): readonly string[] =>
      compareRuns(readLastRun(file), now).map(({ change, name }) => `${change}: ${name}`)
    expect(changed(outcome('one', { status: 'failed' }))).toEqual([])
    keepRun(file, {}, [outcome('one'), outcome('two', { status: 'failed' }), outcome('three', { status: 'stopped' })])
    expect(changed(outcome('one'), outcome('two', { status: 'failed' }), outcome('three'))).toEqual([])
    expect(changed(outcome('one', { status: 'failed' }), outcome('two'), outcome('four'))).toEqual(['new failure: one', 'mended: two'])
    expect(changed(outcome('one', { seconds: 3, tokens: 1200 }))).toEqual(['slower: one', 'more tokens: one'])
    expect(changed(outcome('one', { seconds: 2.9, tokens: 1199 }))).toEqual([])
    expect(changed(outcome('one', { status: 'stopped' }))).toEqual([])
    keepRun(file, readLastRun(file), [outcome('two')])
    expect(changed(outcome('one', { status: 'failed' }), outcome('two', { status: 'failed' }))).toEqual([
      'new failure: one',
      'new failure: two',
    ])
    writeFileSync(file, '{"a": 1, ')
    expect(readLastRun(file)).toEqual({})
    writeFileSync(file, '{"a/eval.yaml: one": {"status": "odd"}, "b": 3}')
    expect(readLastRun(file)).toEqual({})
  } finally {
    rmSync(cache, { recursive: true })
  }
})

test('the report for build servers has a suite for each file, and nothing of a text that XML has no place for', () => {
  const problems = ['a/eval.yaml:3: the answer said "<b> & \u001b[31m"', 'more']
  const xml = formatJunit([
    outcome('one'),
    outcome('two', { status: 'failed', problems }),
    outcome('three', { file: 'b', status: 'stopped' }),
  ])
  expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="agent eval" tests="3" failures="1" skipped="1" time="6.000">
  <testsuite name="a/eval.yaml" tests="2" failures="1" skipped="0" time="4.000">
    <testcase classname="a/eval.yaml" name="one" time="2.000"/>
    <testcase classname="a/eval.yaml" name="two" time="2.000"><failure message="a/eval.yaml:3: the answer said &quot;&lt;b&gt; &amp; \ufffd[31m&quot;">a/eval.yaml:3: the answer said &quot;&lt;b&gt; &amp; \ufffd[31m&quot;&#10;more</failure></testcase>
  </testsuite>
  <testsuite name="b" tests="1" failures="0" skipped="1" time="2.000">
    <testcase classname="b" name="three" time="2.000"><skipped/></testcase>
  </testsuite>
</testsuites>
`)
})
