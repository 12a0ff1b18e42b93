// The site's pages by task. Each takes whole chapters of documents, by their headings of the second level; '' is what
// stands before the first. Without `take` it has all of a document, of a README what is for its users.

const from = (file, ...take) => (take.length ? { file, take } : { file })
const page = (path, title, ...of) => ({ path, title, of })
/** Made from declarations by `reference.mjs`. */
const derived = (path, title, make) => ({ path, title, of: [], make })

const kit = 'receiver-kit/README.md'
const suites = 'conformance/README.md'
const server = 'reference-server/README.md'

export const sections = [
  {
    title: 'Start',
    pages: [
      page('index', 'Countersign', from('README.md', '', 'The way that data takes', 'The house')),
      page('start/install', 'Install', from('README.md', 'Install')),
    ],
  },
  {
    title: 'Ask a human',
    pages: [
      page('ask/index', 'From an application', from('README.md', 'Ask a human')),
      page('ask/client', 'The client', from('adapters/client/README.md')),
      page('ask/agents', 'From agents', from('adapters/agents/README.md')),
      page('ask/mcp', 'Over MCP', from('adapters/mcp/README.md')),
      page('ask/presentation', 'What a case shows', from('core/docs/presentation.md')),
      page('ask/spans', 'Send spans', from('README.md', 'Send spans'), from(kit, 'Sending spans')),
      page('ask/instrumentations', 'What instrumentations give', from('core/docs/otlp.md')),
    ],
  },
  {
    title: 'Receive',
    pages: [
      page('receive/index', 'Events', from('README.md', 'Receive events')),
      page(
        'receive/kit',
        'The receiver kit',
        from(
          kit,
          '',
          'Ten lines',
          'What it does with a message',
          'Hosts',
          'Keys',
          'Inboxes',
          'When something is missing',
          'Answers',
        ),
      ),
      page(
        'receive/outcomes',
        'Outcomes and approvals',
        from(kit, 'The outcome, which resumes work', 'Approvals that a reviewer signed'),
      ),
      page('receive/inbox', 'An inbox of your own', from(kit, 'An inbox of your own')),
      page('receive/tests', 'Tests of your own', from(kit, 'Tests of your own')),
    ],
  },
  {
    title: 'Prove your endpoint',
    pages: [
      page('prove/index', 'Prove it', from('README.md', 'Prove your endpoint')),
      page('prove/receiver', 'The suites', from(suites, '', 'Your receiver')),
      page('prove/outcome', 'Your outcome endpoint', from(suites, 'Your outcome endpoint')),
      page('prove/server', 'Your server', from(suites, 'Your server')),
      page('prove/store', 'Your store', from(suites, 'Your store')),
      page(
        'prove/parts',
        'Your inbox, ledger and authority',
        from(
          suites,
          'Your inbox',
          'Your anchor ledger',
          'Your time-stamping authority',
          'A failure',
        ),
      ),
    ],
  },
  {
    title: 'Decide',
    pages: [page('decide/index', 'The portal', from('adapters/portal/README.md'))],
  },
  {
    title: 'Evidence',
    pages: [page('evidence/index', 'Evidence', from('adapters/documents/README.md'))],
  },
  {
    title: 'Embed',
    pages: [
      page('embed/index', 'Embed the service', from('README.md', 'Embed the service')),
      page('embed/core', 'The rules', from('core/README.md')),
      page('embed/node', 'Node', from('adapters/node/README.md')),
      page('embed/sqlite', 'SQLite', from('adapters/sqlite/README.md')),
      page('embed/postgres', 'PostgreSQL', from('adapters/postgres/README.md')),
      page('embed/koa', 'The HTTP APIs', from('adapters/koa/README.md')),
      page('embed/store', 'A store of your own', from('core/docs/store.md')),
    ],
  },
  {
    title: 'Operate',
    pages: [
      page(
        'operate/index',
        'The reference server',
        from(
          server,
          '',
          'Deployment',
          'Mail',
          'Sandbox',
          'Slack and Teams',
          'Customer keys',
          'Staff API',
        ),
      ),
      page('operate/command', 'The countersign command', from(server, 'The countersign command')),
      page('operate/postgresql', 'On PostgreSQL', from(server, 'PostgreSQL')),
      page('operate/runbook', 'Runbook', from('reference-server/RUNBOOK.md')),
      page('operate/security', 'Security', from('reference-server/SECURITY.md')),
      page('operate/performance', 'Performance', from('reference-server/PERFORMANCE.md')),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('reference/interface', 'Interface', from('core/docs/interface.md')),
      derived('reference/api', 'API', 'api'),
      derived('reference/events', 'Events', 'events'),
      derived('reference/errors', 'Errors', 'errors'),
      page('reference/metrics', 'Metrics and log lines', from(server, 'Metrics', 'Log lines')),
      page('reference/settings', 'Settings', from(server, 'Settings')),
      page('reference/decisions', 'Decisions', from('core/docs/decisions.md')),
      page('reference/changelog', 'Changelog', from('CHANGELOG.md')),
    ],
  },
]

export const pages = sections.flatMap((section) => section.pages)

/** A page's address on the site. */
export const addressOf = (path) => `/${path}`.replace(/\/index$/, '/')
