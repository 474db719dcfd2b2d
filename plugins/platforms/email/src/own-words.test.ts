import { describe, expect, test } from 'vitest'
import { cutHistory } from './own-words.ts'

const quoted = '> Shall I book the table?\n>\n> Agent'
const plain = 'Shall I book the table?\n\nAgent'

describe('of an answer that quotes what it answers only the own words are left', () => {
  test.each([
    ['Gmail', `On Mon, Nov 23, 2026 at 10:12 AM Agent <agent@example.org> wrote:\n\n${quoted}`],
    ['Gmail, broken', `On Mon, Nov 23, 2026 at 10:12 AM The Agent of Our Company <\nagent@example.org> wrote:\n\n${quoted}`],
    ['Gmail, German', `Am Mo., 23. Nov. 2026 um 10:12 Uhr schrieb Agent <agent@example.org>:\n\n${quoted}`],
    ['Gmail, German, older', `Agent <agent@example.org> schrieb am Mo., 23. Nov. 2026, 10:12:\n\n${quoted}`],
    ['Apple Mail', `> On 23 Nov 2026, at 10:12, Agent <agent@example.org> wrote:\n> \n${quoted}`],
    [
      'Apple Mail on a phone',
      `Sent from my iPhone\n\n> On 23 Nov 2026, at 10:12, Agent <agent@example.org> wrote:\n> \n> \uFEFF\n${quoted}`,
    ],
    ['Apple Mail, German', `Von meinem iPhone gesendet\n\n> Am 23.11.2026 um 10:12 schrieb Agent <agent@example.org>:\n>\n${quoted}`],
    ['Thunderbird', `On 23/11/2026 10:12, Agent wrote:\n${quoted}`],
    ['Thunderbird, German', `Am 23.11.2026 um 10:12 schrieb Agent:\n${quoted}`],
    ['Thunderbird with a signature', `-- \nAnn Lee\nExample Ltd`.replace('-- ', '--')],
    [
      'Outlook',
      `________________________________\nFrom: Agent <agent@example.org>\nSent: Monday, November 23, 2026 10:12 AM\nTo: Ann <ann@people.org>\nSubject: Re: Lunch\n\n${plain}`,
    ],
    [
      'Outlook for Windows',
      `From: Agent <agent@example.org>\nSent: Monday, November 23, 2026 10:12 AM\nTo: Ann <ann@people.org>\nSubject: Re: Lunch\n\n${plain}`,
    ],
    [
      'Outlook, German',
      `Von: Agent <agent@example.org>\nGesendet: Montag, 23. November 2026 10:12\nAn: Ann <ann@people.org>\nBetreff: Re: Lunch\n\n${plain}`,
    ],
    ['Outlook, plain', `-----Original Message-----\nFrom: Agent <agent@example.org>\nSent: Monday, November 23, 2026 10:12 AM\n\n${plain}`],
    ['Outlook, plain, German', `-----Ursprüngliche Nachricht-----\nVon: Agent\nGesendet: Montag, 23. November 2026 10:12\n\n${plain}`],
    [
      'Outlook on a phone',
      `Get Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Agent <agent@example.org>\nSent: Monday, November 23, 2026 10:12:00 AM\nTo: Ann\nSubject: Re: Lunch\n\n${plain}`,
    ],
    ['no word of who wrote', quoted],
  ])('%s', (_program, rest) => {
    expect(cutHistory(`Yes, please.\n\nFor two.\n\n${rest}`)).toBe('Yes, please.\n\nFor two.')
  })
})

test('words below the quotation are own words', () => {
  expect(cutHistory(`Am 23.11.2026 um 10:12 schrieb Agent:\n${quoted}\n\nYes, please.\n\n--\nAnn`)).toBe('Yes, please.')
})

test.each([
  ['is answered line by line', 'On 23/11/2026 10:12, Agent wrote:\n> The table?\n\nYes.\n\n> The wine?\n\nNo.'],
  [
    'is forwarded',
    'What is this?\n\n---------- Forwarded message ---------\nFrom: Bob <bob@people.org>\nDate: Mon, Nov 23, 2026 at 10:12 AM\nSubject: x\n\nWin!',
  ],
  ['is forwarded, in German', 'Was ist das?\n\n-------- Weitergeleitete Nachricht --------\nBetreff: x\nVon: Bob\n\nGewinn!'],
  ['has nothing but a quotation', quoted],
  ['tells of writing', 'On Monday Bob wrote:\nno.\nAm Ende schrieb er:\nnein.'],
  ['has a list of dashes', `a\n--\n${'b\n'.repeat(20)}c`],
  ['names From: alone', 'The field\nFrom: is wrong, and\nTo: too.'],
])('a letter that %s stays whole', (_what, text) => {
  expect(cutHistory(text)).toBe(text)
})

test('a long text takes time that grows with its length', () => {
  const text = 'On the wrote: 10:12 schrieb am\n'.repeat(10_000).trim()
  expect(cutHistory(text)).toBe(text)
})
