/** A payment as an application tells it, with all that pages know a place for. */
export const payment = {
  title: 'Refund 1 200.00 EUR to DE89 3704 0044 0532 0130 00',
  summary: 'Refund as agreed with the customer.',
  action: {
    tool: 'pay',
    arguments: { amount: '1200.00', currency: 'EUR', to: 'DE89370400440532013000' },
  },
  before: { balance: 5310, limits: { day: 10_000, month: 20_000 }, tags: ['a', 'b', 'c'] },
  after: { balance: 4110, limits: { day: 10_000, month: 20_000 }, tags: ['a', 'c', 'd'] },
  respond: {
    schema: {
      type: 'object',
      properties: {
        amount: { type: 'number', title: 'Amount' },
        urgent: { type: 'boolean', title: 'Urgent' },
        reason: { type: 'string', enum: ['agreed', 'goodwill'], title: 'Reason' },
      },
      required: ['amount'],
    },
    initial: { amount: 1200 },
  },
}

const override = '\u202e'
const invisible = '\u200b\u2060\u00ad\ufeff'
const control = '\u0007\u001b[31mred\u001b[0m'

/** Texts that try to look like something else, or to be more than text. */
export const hostileTexts = {
  markup: '<img src=x onerror="window.ran=1"><script>window.ran=1</script>',
  link: '[approve](javascript:window.ran=1) https://evil.example/?q=1',
  override: `invoice${override}fdp.exe`,
  invisible: `pay${invisible}ee`,
  control,
  mixed: 'p\u0430yp\u0430l.com', // Cyrillic а
  isolates: '\u2066\u2067text',
  surrogate: 'half \ufffd',
  newlines: Array.from({ length: 60 }, (_, line) => `line ${line + 1}`).join('\n'),
  long: 'W'.repeat(5_000),
}

/** A document of which nothing is harmless: names, values, depth. */
export const hostile = {
  title: `Refund ${override}EUR 1`,
  action: { tool: hostileTexts.markup, arguments: hostileTexts },
  before: { [`key${override}`]: 1, __proto__x: 1, toString: 'a' },
  after: { [`key${override}`]: 2, __proto__x: 1, toString: 'b' },
  '<b>name</b>': null,
  numbers: [0, -0, 0.1, 1.5e-7, 9_007_199_254_740_991],
  empty: { object: {}, array: [], text: '' },
}

/** An object in an object, so many levels deep. */
export function deep(levels: number): unknown {
  let inner: unknown = 'bottom'
  for (let level = 1; level < levels; level++) inner = level % 2 ? { level: inner } : [inner]
  return { action: 'descend', inner }
}

/** About so many bytes of JSON, in as many members as a document may have: 10,000. */
export function large(bytes: number): unknown {
  const count = 2_000
  const text = 'a line of some table '.repeat(Math.floor(bytes / count / 21) - 2)
  const rows = Array.from({ length: count }, (_, id) => ({ id, text, done: false }))
  return { action: 'import', rows }
}
