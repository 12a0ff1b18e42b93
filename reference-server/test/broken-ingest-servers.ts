import type { BrokenServer } from './broken-server.ts'
import { type Message, onPath, onStatus, type Reply, replaceIn, rewriting } from './relay.ts'

const withoutName = ({ headers }: Reply) => void delete headers['content-disposition']

const isProtobuf = ({ headers }: Message) => headers['content-type'] === 'application/x-protobuf'

/** Faults of ingest, sessions, their marks, evidence and erasure. */
export const brokenIngestServers: readonly BrokenServer[] = [
  {
    name: 'counts a span as often as it comes',
    killedBy: 'ingest.otlp',
    api: rewriting(/^\/v1\/sessions\//, /"stepCount":3/, '"stepCount":4'),
  },
  {
    name: 'drops broken spans in silence',
    killedBy: 'ingest.otlp-partial',
    api: rewriting(/\/otlp$/, /^.*partialSuccess.*$/, '{}'),
  },
  {
    name: 'reads another tool in protobuf than in JSON',
    killedBy: 'ingest.otlp-protobuf',
    api: {
      request: (message) => {
        if (isProtobuf(message)) replaceIn(message, /pay/, 'pax')
      },
    },
  },
  {
    name: 'takes what is no message of protobuf',
    killedBy: 'ingest.otlp-protobuf-refused',
    api: {
      reply: (reply, message) => {
        if (isProtobuf(message)) onStatus(400, 200)(reply)
      },
    },
  },
  {
    name: 'answers with a leaf too many',
    killedBy: 'ingest.submission',
    api: rewriting(/\/ingest\/sessions$/, /"treeSize":2/, '"treeSize":3'),
  },
  {
    name: 'takes any root',
    killedBy: 'ingest.submission-refused',
    api: { reply: onPath(/\/ingest\/sessions$/, onStatus(422, 200)) },
  },
  {
    name: 'counts no session',
    killedBy: 'ingest.usage',
    api: rewriting(/\/usage$/, /"sessionsUsed":\d+/, '"sessionsUsed":1'),
  },
  {
    name: 'takes spans with the key of an application',
    killedBy: 'ingest.credentials',
    api: { reply: onPath(/\/otlp$/, onStatus(403, 200)) },
  },
  {
    name: 'lists steps with their content',
    killedBy: 'sessions.reads',
    api: rewriting(/\/steps\?/, /"payload":null/g, '"payload":{}'),
  },
  {
    name: 'sorts by its own mind',
    killedBy: 'sessions.list',
    api: {
      request: (message) => {
        message.path = message.path.replace('&sort=startedAt', '')
      },
    },
  },
  {
    name: 'finds the sessions of others',
    killedBy: 'sessions.tenants',
    api: { reply: onPath(/^\/v1\/sessions\//, onStatus(404, 200)) },
  },
  {
    name: 'forgets that a span came late',
    killedBy: 'sessions.completion',
    api: rewriting(/\/steps\?/, /"late":true/g, '"late":false'),
  },
  {
    name: 'proves another leaf',
    killedBy: 'seals.proof',
    api: rewriting(/\/proof\?/, /"leafIndex":\d+/, '"leafIndex":7'),
  },
  {
    name: 'proves another decision',
    killedBy: 'seals.case',
    api: rewriting(/\/proof$/, /"decision":"approved"/, '"decision":"rejected"'),
  },
  {
    name: 'commits to another root',
    killedBy: 'seals.sealed',
    api: rewriting(/\/proof\?/, /"commitment":"./, '"commitment":"x'),
  },
  {
    name: 'breaks the chain of its anchors',
    killedBy: 'seals.anchors',
    api: rewriting(/\/anchors\?/, /"previousHash":"./g, '"previousHash":"x'),
  },
  {
    name: 'changes evidence after signing it',
    killedBy: 'evidence.document',
    api: rewriting(/\/evidence\?/, /"evidenceVersion":"1.0"/, '"evidenceVersion":"1.1"'),
  },
  {
    name: 'writes formulas into its CSV',
    killedBy: 'evidence.csv',
    api: rewriting(/\/csv\?/, /,"'=/g, ',"='),
  },
  {
    name: 'shows its PDF in the browser',
    killedBy: 'evidence.pack',
    api: { reply: onPath(/\/evidence-pack\?/, withoutName) },
  },
  {
    name: 'changes a certificate after signing it',
    killedBy: 'evidence.certificate',
    api: rewriting(/\/blockchain-certificate\?/, /"statement":"/, '"statement":"Not '),
  },
  {
    name: 'takes orders for exports',
    killedBy: 'evidence.rights',
    api: { reply: onPath(/^\/v1\/compliance\//, onStatus(404, 200)) },
  },
  {
    name: 'keeps another archive than it sent',
    killedBy: 'packages.bulk',
    api: {
      reply: onPath(/\/download$/, (reply) => {
        reply.body += '\n'
      }),
    },
  },
  {
    name: 'records another hash than the archive has',
    killedBy: 'packages.auditor',
    api: rewriting(/\/evidence-packages\/exp_[^/]+$/, /"sha256":"./, '"sha256":"x'),
  },
  {
    name: 'gives a person’s pack to every member',
    killedBy: 'packages.subject',
    api: { reply: onPath(/\/subject-pack$/, onStatus(403, 200)) },
  },
  {
    name: 'counts a cleared flag',
    killedBy: 'marks.flags',
    api: rewriting(/^\/v1\/sessions\//, /"openFlags":0/, '"openFlags":1'),
  },
  {
    name: 'lets anyone remove an annotation',
    killedBy: 'marks.annotations',
    api: { reply: onPath(/\/annotations\//, onStatus(403, 200)) },
  },
  {
    name: 'forgets the last review',
    killedBy: 'marks.reviews',
    api: rewriting(/^\/v1\/sessions\//, /"reviewState":"rejected"/, '"reviewState":null'),
  },
  {
    name: 'hides a case from its session',
    killedBy: 'policies.require-review',
    api: rewriting(/^\/v1\/sessions\//, /"openReviewCases":1/, '"openReviewCases":0'),
  },
  {
    name: 'says that a member raised what a policy did',
    killedBy: 'policies.deny',
    api: rewriting(/\/flags\?/, /"source":"policy"/g, '"source":"member"'),
  },
  {
    name: 'shows what it should have redacted',
    killedBy: 'policies.redacts',
    api: rewriting(/\/steps\//, /\[redacted:email\]/, 'someone@example.com'),
  },
  {
    name: 'keeps attributes that it should drop',
    killedBy: 'policies.ingest-rules',
    api: {
      request: (message) => {
        if (message.method === 'PUT') replaceIn(message, /"secret\.\*"/, '"another"')
      },
    },
  },
  {
    name: 'keeps another threshold',
    killedBy: 'policies.settings',
    api: rewriting(
      /\/applications\/[^/]+$/,
      /"governanceThreshold":40/,
      '"governanceThreshold":50',
    ),
  },
  {
    name: 'scores beyond a hundred',
    killedBy: 'policies.scores',
    api: rewriting(/\/scores$/, /"governance":[\d.]+/, '"governance":101'),
  },
  {
    name: 'calls erased content readable',
    killedBy: 'erasure.erases',
    api: rewriting(/\/steps\//, /"payloadStatus":"erased"/, '"payloadStatus":"readable"'),
  },
  {
    name: 'does not say what an erasure waits for',
    killedBy: 'erasure.held',
    api: rewriting(/\/erasure-requests\//, /"waitingFor":"hold"/, '"waitingFor":null'),
  },
  {
    name: 'lets every member reject an erasure',
    killedBy: 'erasure.rejected',
    api: { reply: onPath(/\/reject$/, onStatus(403, 200)) },
  },
]
