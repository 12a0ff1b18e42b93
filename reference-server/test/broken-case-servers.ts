import type { BrokenServer } from './broken-server.ts'
import { answering, granting, onPath, onStatus, replaceIn, rewriting, sending } from './relay.ts'

/** Faults of cases, their times, their callbacks and the webhooks that tell of them. */
export const brokenCaseServers: readonly BrokenServer[] = [
  {
    name: 'opens cases assigned to somebody',
    killedBy: 'cases.open',
    api: rewriting(/\/review-cases$/, /"assignment":null/, '"assignment":{}'),
  },
  {
    name: 'forgets questions when a case moves',
    killedBy: 'cases.reassign',
    api: rewriting(/\/reassign$/, /"followUps":\[.*?\]/, '"followUps":[]'),
  },
  {
    name: 'takes an answer to no question',
    killedBy: 'cases.follow-up',
    api: answering(/\/follow-up-response$/, 409, 200),
  },
  {
    name: 'lets anyone decide',
    killedBy: 'cases.unassigned',
    api: answering(/\/decide$/, 409, 200),
  },
  {
    name: 'lets the requester review',
    killedBy: 'cases.requester',
    api: answering(/\/claim$/, 409, 200),
  },
  {
    name: 'cancels for any reason',
    killedBy: 'cases.cancel',
    api: answering(/\/cancel$/, 400, 200),
  },
  {
    name: 'takes another report after the last',
    killedBy: 'cases.continuation',
    api: answering(/\/continuation$/, 409, 200),
  },
  {
    name: 'grants every decision of a race',
    killedBy: 'cases.race',
    api: { reply: onPath(/\/(decide|cancel)$/, granting) },
  },
  {
    name: 'reads the body before it knows the caller',
    killedBy: 'errors.order',
    api: { reply: onStatus(401, 400) },
  },
  {
    name: 'takes keys that are nearly right',
    killedBy: 'errors.bad-keys',
    api: answering(/\/review-cases\//, 401, 404),
  },
  {
    name: 'says of a foreign case that it is somebody’s',
    killedBy: 'errors.tenants',
    api: {
      reply: (reply, { path }) => {
        if (reply.status === 404 && !path.includes('rc_00000000000000000000000000'))
          reply.status = 403
      },
    },
  },
  {
    name: 'calls a broken answer a success',
    killedBy: 'deliveries.breaks',
    api: rewriting(/\/review-events/, /"retry_scheduled"/g, '"delivered"'),
  },
  {
    name: 'never gives up on silence',
    killedBy: 'deliveries.deadline',
    api: rewriting(/\/review-events/, /"retry_scheduled"/g, '"delivering"'),
  },
  {
    name: 'tells another outcome than was decided',
    killedBy: 'callbacks.outcome',
    deliveries: sending(/"decision":"approved"/, '"decision":"rejected"'),
  },
  {
    name: 'drops the old secret of the callback at once',
    killedBy: 'callbacks.rotation',
    deliveries: {
      request: ({ headers }) => {
        headers['webhook-signature'] = (headers['webhook-signature'] ?? '').split(' ')[0] ?? ''
      },
    },
  },
  {
    name: 'goes on owing what a removed callback owed',
    killedBy: 'callbacks.removed',
    api: rewriting(
      /\/review-cases\//,
      /"callback":\{"state":"failed"/,
      '"callback":{"state":"pending"',
    ),
  },
  {
    name: 'digests another text than was sent',
    killedBy: 'callbacks.attempts',
    api: rewriting(/\/callback\/attempts/, /"bodySha256":"[0-9a-f]/g, '"bodySha256":"g'),
  },
  {
    name: 'lists the oldest events first',
    killedBy: 'subscriptions.recovery',
    api: {
      reply: onPath(/\/review-events/, (reply) => {
        const body = JSON.parse(reply.body)
        if (Array.isArray(body.events)) body.events.reverse()
        reply.body = JSON.stringify(body)
      }),
    },
  },
  {
    name: 'sends a test without data',
    killedBy: 'subscriptions.test',
    deliveries: sending(/"data":/, '"facts":'),
  },
  {
    name: 'calls private addresses',
    killedBy: 'subscriptions.urls',
    api: answering(/\/webhooks$/, 400, 200),
  },
  {
    name: 'lets every member turn webhooks off',
    killedBy: 'subscriptions.rights',
    api: answering(/\/turn-off$/, 403, 200),
  },
  {
    name: 'never sees that a case is overdue',
    killedBy: 'time.overdue',
    api: rewriting(/\/review-cases\//, /"overdueAt":"[^"]+"/g, '"overdueAt":null'),
  },
  {
    name: 'approves what has expired',
    killedBy: 'time.expiry',
    api: answering(/\/decide$/, 409, 200),
  },
  {
    name: 'keeps expired cases open',
    killedBy: 'time.timer',
    api: rewriting(/\/review-cases\//, /"state":"expired"/g, '"state":"open"'),
  },
  {
    name: 'turns off without a word',
    killedBy: 'schedule.three-days',
    deliveries: {
      request: (message) => replaceIn(message, /"reason":"retries_exhausted"/, '"reason":null'),
    },
  },
  {
    name: 'holds back what comes after a failure',
    killedBy: 'schedule.others-go-on',
    api: rewriting(/\/review-events/, /"delivered"/g, '"pending"'),
  },
  {
    name: 'forgets in the summary whose cases are whose',
    killedBy: 'portal.summary',
    api: rewriting(/\/portal\/summary/, /"mine":\d+/, '"mine":0'),
  },
  {
    name: 'lists presentations in the queue',
    killedBy: 'portal.queue',
    api: rewriting(/\/review-queue/, /"reviewCaseId":/g, '"presentation":{},"reviewCaseId":'),
  },
  {
    name: 'mails who turned the mails off',
    killedBy: 'portal.notices',
    api: rewriting(/\/portal\/notices/, /"reviewWaiting":false/, '"reviewWaiting":true'),
  },
  {
    name: 'lets every member write guidelines',
    killedBy: 'portal.guidelines',
    api: answering(/\/reviewer-guidelines$/, 403, 200),
  },
  {
    name: 'lists a delivery with an answer that it had not',
    killedBy: 'recovery.inspection',
    api: rewriting(/\/deliveries$/, /"lastResponseStatus":503/g, '"lastResponseStatus":200'),
  },
  {
    name: 'shows every member how reviewers decide',
    killedBy: 'portal.statistics',
    api: answering(/\/review-statistics/, 403, 200),
  },
  {
    name: 'names another reason why a webhook was off',
    killedBy: 'recovery.windows',
    api: rewriting(/\/missed-windows/, /"reason":"owner"/g, '"reason":"retries_exhausted"'),
  },
]
