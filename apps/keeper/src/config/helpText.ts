/** The text of `keeper --help`. */
export const helpText = `Usage: keeper [command] [options]

Settles what is due on the recurring-payment protocol, as a Dueday API or the keeper's own node
plans it: signs remit() with its own key and sends it through its own nodes: the whole plan, or with
--min-profit the part that pays.

Commands
  run             settle, then wait for more (the default)
  config check    read settings and key, ask the nodes, report every fault
  init            write a commented keeper.toml to the current folder
  health          ask a keeper with --metrics-port on this machine whether it works; 0 if it does
  help            print this text

Options (each can also be set in keeper.toml or the environment: docs/keeper.md)
  --config FILE          file of settings                         (default keeper.toml, if there is one)
  --chain ID             of several chains, serve only this one; the options of a chain apply to it
  --api URL              the API that serves the plan             (default http://127.0.0.1:3000)
  --direct               plan on your own node; no API is asked
  --key-file FILE        private key, in a file of mode 600
  --keystore FILE        encrypted keystore of geth or cast, of mode 600
  --password-file FILE   its password, in a file of mode 600
  --rpc URL              your own node; again for a second one    (optional for --dry-run by an API)
  --contract ADDRESS     the protocol contract                    (default: the known one of the chain)
  --min-profit ETH       send only the part of the plan that earns at least this in sum, net of gas
  --price TOKEN:WEI      value of one whole token in wei; once for each fee token
  --max-gas-price GWEI   send nothing while gas costs more, and sign no higher price   (default 50)
  --max-loss ETH         send nothing while more could be lost in 24 hours        (default: five transactions)
  --replace-after S      replace a transaction not mined within this time              (default 30)
  --interval SECONDS     pause between two polls of the plan                           (default 300)
  --jitter SECONDS       longest random pause before a backlog is settled, so that keepers do not
                         all act at once                          (default 5; 0 for none)
  --metrics-port PORT    serve /metrics and /health on 127.0.0.1
  --log json|pretty      form of the log                          (default: pretty on a terminal)
  --dry-run              print the plan with fees, costs and net, and the verdict; needs no key
  --once                 exit when nothing more can be settled
  --help, --version

The key is never an argument: KEEPER_PRIVATE_KEY, a file, or a keystore. It signs only transactions,
on the chain of your own node: remit(), without arguments or value, to the protocol contract, and, if
an API key is set, calls of permit() that submit kept permits of others where these pay for their gas.

Exit codes (2 to 7 end a running keeper only with --once; otherwise it waits and tries again)
  0  caught up, nothing due, or the dry run is printed
  1  settings or key are missing or wrong, or config check found a fault
  2  what the API returned does not agree with your own node: nothing was signed
  3  the protocol is blocked: the next remit() would revert or change nothing
  4  a transaction settled nothing, earned less than simulated, was refused, or was not mined in
     time; or --max-loss is reached
  5  the API or the node can't be reached, or refuses a request
  6  not worth it: below --min-profit, no price to judge by, or gas above --max-gas-price
  7  the address has too little ether for the gas
  70 an unexpected error: please report it
`;
