import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chatMessage } from '../../../webhooks/channels/chat-message.ts'
import { channelKinds } from '../../../webhooks/channels/records.ts'

const utf8 = new TextEncoder()
const sender = { organizationName: 'Acme & <Sons>', portalUrl: 'https://portal.example' }

type Json = Readonly<Record<string, unknown>>
const messageOf = (kind: (typeof channelKinds)[number], event: object) =>
  JSON.parse(
    new TextDecoder().decode(chatMessage(kind, utf8.encode(JSON.stringify(event)), sender)),
  ) as Json

const alert = {
  id: 'evt_1',
  type: 'alert.triggered',
  timestamp: '2026-01-01T00:00:00.000Z',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  data: {
    ...{ alertRuleId: 'rule_1', alertRuleName: 'Ada Lovelace', metricName: 'steps.error_percent' },
    ...{ currentValue: 7.5, threshold: 5, severity: 'critical' },
  },
}
const review = {
  id: 'evt_2',
  type: 'review.case.created',
  schemaVersion: 1,
  time: '2026-01-01T00:00:00.000Z',
  tenantId: 'ten_1',
  applicationId: 'app_1',
  sessionId: '<@here> & *all*',
  reviewCaseId: 'rc_1',
  ...{ caseVersion: 1, eventSequence: 1, decision: null, reviewTier: 'high' },
  reasonCategory: 'other',
  caseUrl: 'https://ingest.example/v1/review-cases/rc_1',
}

describe('a chat message', () => {
  it('is Slack blocks with ids, states and numbers, and one link button', () => {
    assert.deepEqual(messageOf('slack', alert), {
      text: 'alert.triggered',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'alert.triggered' } },
        {
          type: 'section',
          fields: [
            { type: 'mrkdwn', text: '*applicationId*\napp_1' },
            { type: 'mrkdwn', text: '*alertRuleId*\nrule_1' },
            { type: 'mrkdwn', text: '*metricName*\nsteps.error_percent' },
            { type: 'mrkdwn', text: '*currentValue*\n7.5' },
            { type: 'mrkdwn', text: '*threshold*\n5' },
            { type: 'mrkdwn', text: '*severity*\ncritical' },
          ],
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text: 'Acme &amp; &lt;Sons&gt; · evt_1 · 2026-01-01T00:00:00.000Z',
            },
          ],
        },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              text: { type: 'plain_text', text: 'Open the portal' },
              url: 'https://portal.example/',
            },
          ],
        },
      ],
    })
  })

  it('is an Adaptive Card 1.4 that leads to the case', () => {
    const { type, attachments } = messageOf('teams', review) as {
      readonly type: string
      readonly attachments: readonly { readonly contentType: string; readonly content: Json }[]
    }
    const [card] = attachments
    assert.deepEqual(
      [type, card?.contentType, card?.content.version],
      ['message', 'application/vnd.microsoft.card.adaptive', '1.4'],
    )
    assert.deepEqual(card?.content.actions, [
      {
        type: 'Action.OpenUrl',
        title: 'Open the portal',
        url: 'https://portal.example/cases/rc_1',
      },
    ])
    const text = JSON.stringify(card?.content)
    assert.ok(text.includes('\\\\<@here\\\\> & \\\\*all\\\\*'), text)
    assert.ok(text.includes('Acme & \\\\<Sons\\\\> · evt'), text)
    assert.ok(!text.includes('caseUrl') && !text.includes('ten_1'))
  })

  it('has no names, its markup escaped, and its lengths bounded, whatever the ids are', () => {
    const slack = JSON.stringify(messageOf('slack', review))
    assert.ok(slack.includes('&lt;@here&gt; &amp; *all*'))
    assert.ok(
      channelKinds.every((kind) => !JSON.stringify(messageOf(kind, alert)).includes('Lovelace')),
    )
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().map((name) => `${name}Id`),
          fc.string({ maxLength: 400, unit: 'grapheme' }),
        ),
        fc.constantFrom(...channelKinds),
        (ids, kind) => {
          const message = messageOf(kind, { ...alert, data: { ...ids, n: 1 } })
          const texts = JSON.stringify(message).match(/"text":"|"value":"/g) ?? []
          assert.ok(texts.length <= 16)
          const blocks = (message.blocks ?? []) as readonly {
            readonly fields?: readonly { readonly text: string }[]
          }[]
          const fields = blocks.flatMap((block) => block.fields ?? [])
          assert.ok(fields.length <= 10)
          assert.ok(
            fields.every(({ text }) => text.length <= 2_000 && !/\p{Surrogate}/u.test(text)),
          )
        },
      ),
    )
  })
})
