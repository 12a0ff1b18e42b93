const hex = (letters: string, digits: number) => letters.repeat(digits).slice(0, digits)

export const traces = { collector: hex('0fa9', 32), javaScript: hex('c0de51', 32) }
export const spans = { handler: hex('be01', 16), caller: hex('be02', 16), root: hex('ad10', 16) }

/** Written as by the collector: indented, ids in upper case, what has its default left out. */
export const collectorExport: string = JSON.stringify(
  {
    resourceSpans: [
      {
        resource: {
          attributes: [{ key: 'service.name', value: { stringValue: 'claims.api' } }],
        },
        scopeSpans: [
          {
            scope: {
              name: 'claims.http',
              version: '2.3.1',
              attributes: [{ key: 'scope.team', value: { stringValue: 'payments' } }],
            },
            spans: [
              {
                traceId: traces.collector.toUpperCase(),
                spanId: spans.handler.toUpperCase(),
                parentSpanId: spans.caller.toUpperCase(),
                name: "POST the customer's claim",
                startTimeUnixNano: '1767225600000000000',
                endTimeUnixNano: '1767225602000000000',
                kind: 2,
                attributes: [{ key: 'claim.region', value: { stringValue: 'north' } }],
              },
            ],
          },
        ],
      },
    ],
  },
  null,
  2,
)

const nothingDropped = { droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 }

/** Written as by the exporter for JavaScript: a child before its parent, counts and empty lists spelled out. */
export const javaScriptExport: string = JSON.stringify({
  resourceSpans: [
    {
      resource: {
        attributes: [{ key: 'service.name', value: { stringValue: 'claims-agent' } }],
        droppedAttributesCount: 0,
      },
      scopeSpans: [
        {
          scope: { name: 'claims', version: '4.0.0' },
          spans: [
            {
              ...nothingDropped,
              traceId: traces.javaScript,
              spanId: spans.handler,
              parentSpanId: spans.root,
              name: 'chat small-model',
              kind: 3,
              startTimeUnixNano: '1767225600250000000',
              endTimeUnixNano: '1767225600250731902',
              attributes: [
                { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                { key: 'gen_ai.request.model', value: { stringValue: 'small-model' } },
                { key: 'gen_ai.usage.input_tokens', value: { intValue: 31 } },
                { key: 'gen_ai.request.temperature', value: { doubleValue: 0.25 } },
                {
                  key: 'gen_ai.response.finish_reasons',
                  value: { arrayValue: { values: [{ stringValue: 'length' }] } },
                },
              ],
              events: [
                {
                  name: 'retried',
                  timeUnixNano: '1767225600250412077',
                  attributes: [{ key: 'times', value: { intValue: 2 } }],
                  droppedAttributesCount: 0,
                },
              ],
              status: { code: 0 },
              links: [],
            },
            {
              ...nothingDropped,
              traceId: traces.javaScript,
              spanId: spans.root,
              name: 'invoke_agent adjuster',
              kind: 1,
              startTimeUnixNano: '1767225600249000000',
              endTimeUnixNano: '1767225600251118264',
              attributes: [
                { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
                { key: 'gen_ai.conversation.id', value: { stringValue: 'talk-7' } },
                { key: 'session.id', value: { stringValue: 'claim-42' } },
                { key: 'gen_ai.agent.name', value: { stringValue: 'adjuster' } },
              ],
              events: [],
              status: { code: 0 },
              links: [],
            },
          ],
        },
      ],
    },
  ],
})
