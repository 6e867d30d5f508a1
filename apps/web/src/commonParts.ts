/**
 * Small parts that several pages show. Imported here, they are in one file with the first script. Otherwise the bundler would give each its own file,
 * since no two of them are on the same pages, and on a phone the requests would take longer than the bytes.
 */
import "./charts/BarChart";
import "./format/describeDays";
import "./format/describeTerms";
import "./lists/ListTable";
import "./lists/PagedCard";
import "./live/usePages";
import "./live/usePlanNames";
import "./states/Answer";
import "./states/Empty";
import "./states/NotHex";
import "./tables/DataTable";
import "./ui/AddressLookup";
import "./ui/Badge";
import "./ui/CodeBlock";
import "./ui/CopyButton";
import "./ui/CoverageBadge";
import "./ui/DefinitionList";
import "./ui/Disclosure";
import "./ui/Field";
import "./ui/Figure";
import "./ui/Inset";
import "./ui/LookupForm";
import "./ui/SellerLabel";
import "./ui/Tabs";
import "./ui/VerifiedBadge";
import "./wallet/lazyWallet";
import "./wallet/lazyWithWallet";
