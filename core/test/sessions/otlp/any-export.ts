import fc from 'fast-check'

// Exports as OTLP's JSON has them, of whatever an exporter may write, good or bad, that JSON and protobuf both can say.

const text = fc.string({
  maxLength: 12,
  unit: fc.constantFrom('a', 'Z', '1', '"', 'é', '😀', '\n'),
})
const key = fc.oneof(
  fc.constantFrom(
    'session.id',
    'user.id',
    'gen_ai.prompt.0.role',
    'gen_ai.prompt.0.content',
    'gen_ai.prompt.2.content',
    'llm.input_messages.0.message.content',
    'gen_ai.input.messages',
    'gen_ai.operation.name',
    'input.value',
    'ai.response.text',
    'constructor',
    '',
  ),
  fc.stringMatching(/^my\.[a-z]{1,6}$/),
)
const scalar = fc.oneof(
  text.map((stringValue) => ({ stringValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => ({ intValue: String(value) })),
  fc.maxSafeInteger().map((value) => ({ intValue: String(value) })),
  // Minus zero is 0 in JSON, and NaN is a text.
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => ({ doubleValue: value === 0 ? 0 : value })),
  fc.constantFrom('NaN', 'Infinity', '-Infinity').map((doubleValue) => ({ doubleValue })),
  fc
    .uint8Array({ maxLength: 5 })
    .map((raw) => ({ bytesValue: Buffer.from(raw).toString('base64') })),
  fc.constant({}),
)
const { value } = fc.letrec<{ readonly value: object; readonly pair: object }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc.array(tie('pair'), { maxLength: 3 }).map((values) => ({ kvlistValue: { values } })),
  ),
  pair: fc.record({ key: fc.stringMatching(/^[a-z]{1,3}$/), value: tie('value') }),
}))
const attributes = fc.array(fc.record({ key, value }, { requiredKeys: ['key'] }), { maxLength: 6 })
const dropped = fc.constantFrom(0, 0, 0, 3)
const id = (digits: number) =>
  fc.oneof(
    fc
      .bigInt({ min: 1n, max: 16n ** BigInt(digits) - 1n })
      .map((it) => it.toString(16).padStart(digits, '0')),
    fc.constantFrom('', '0'.repeat(digits), 'ff'),
  )
const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const event = fc.record(
  {
    timeUnixNano: fc.bigInt({ min: 0n, max: 4n * 10n ** 18n }).map(String),
    name: fc.constantFrom(
      'retried',
      'gen_ai.user.message',
      'gen_ai.choice',
      'gen_ai.content.prompt',
    ),
    attributes,
    droppedAttributesCount: dropped,
  },
  { requiredKeys: ['name'] },
)
const link = fc.record(
  {
    traceId: id(32),
    spanId: id(16),
    traceState: text,
    attributes,
    droppedAttributesCount: dropped,
  },
  { requiredKeys: [] },
)
const span = fc.record(
  {
    traceId: id(32),
    spanId: id(16),
    traceState: text,
    parentSpanId: id(16),
    name: text,
    kind: fc.nat(6),
    startTimeUnixNano: fc.oneof(fc.constant('1795177744486999999'), nanoseconds),
    endTimeUnixNano: fc.oneof(fc.constant('1795177744488000000'), nanoseconds),
    attributes,
    droppedAttributesCount: dropped,
    events: fc.array(event, { maxLength: 3 }),
    droppedEventsCount: dropped,
    links: fc.array(link, { maxLength: 2 }),
    droppedLinksCount: dropped,
    status: fc.record({ message: text, code: fc.nat(3) }, { requiredKeys: [] }),
    newest: text,
  },
  { requiredKeys: ['traceId', 'spanId'] },
)
const scopeSpans = fc.record(
  {
    scope: fc.record(
      { name: text, version: text, attributes, droppedAttributesCount: dropped },
      { requiredKeys: [] },
    ),
    spans: fc.array(span, { maxLength: 4 }),
    schemaUrl: text,
  },
  { requiredKeys: [] },
)
const resourceSpans = fc.record(
  {
    resource: fc.record({ attributes, droppedAttributesCount: dropped }, { requiredKeys: [] }),
    scopeSpans: fc.array(scopeSpans, { maxLength: 3 }),
    schemaUrl: text,
  },
  { requiredKeys: [] },
)

export const anyExport: fc.Arbitrary<object> = fc.record({
  resourceSpans: fc.array(resourceSpans, { maxLength: 3 }),
})
